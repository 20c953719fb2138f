"""Decides whether a submission is searched for lessons that are not where they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from grader.intake.notebook.outline import DEFINITION
from grader.intake.submissions.candidates import Recogniser
from grader.intake.submissions.file_kinds import is_copy
from grader.intake.submissions.fitting import readable_text
from grader.intake.submissions.gathered import GatheredFile, gathered_files, without_layout
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.recognition import GuessQuestion, Recognition, recognise
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.annotations import IntakeRemark

MAX_REMARKS = 5
KINDS_OF_FILES = {
    "a PDF": (".pdf",),
    "a text document": (".docx", ".doc", ".odt", ".rtf", ".pages"),
    "a picture": (".png", ".jpg", ".jpeg", ".heic", ".gif", ".webp"),
    "a web page": (".html", ".htm"),
    "a text file": (".txt", ".md"),
    "a link": (".url", ".webloc", ".gdoc", ".desktop"),
    "a compiled Python file": (".pyc",),
    "slides": (".pptx", ".ppt", ".key"),
    "a table": (".csv", ".xlsx"),
}


@dataclass(frozen=True)
class Wanted:
    """What is looked for in a submission.

    Attributes:
        lessons: those of this run.
        course: all lessons of the course: a file may be for one that does not count.
        decided: {lesson: file} as the instructor decided in intake.csv.
        known_as: other names, ids and addresses of the student's, as the roster or the platform has them.
    """

    lessons: Sequence[Lesson]
    course: Sequence[Lesson]
    decided: Mapping[str, str] = field(default_factory=dict)
    known_as: Sequence[str] = ()

    @property
    def are_named(self) -> bool:
        """Whether the command line, or an assignment, says which lessons count."""
        return len(self.lessons) < len(self.course)


def recognised_in(path: Path, given: Mapping[str, LessonFiles], wanted: Wanted, above: Sequence[str]) -> Recognition:
    """The lessons in `path` that are not where they should be; `given` are those that are.

    `above` are the names of archives around `path`.
    """
    undecided = [lesson for lesson in wanted.lessons if lesson.name not in wanted.decided]
    missing = [lesson for lesson in undecided if is_missing(given.get(lesson.name), lesson, wanted.course)]
    contested = [each for each in undecided if each not in missing and has_copies(given[each.name])]
    if not missing and not contested and not wanted.decided:
        return Recognition()
    refused: dict[str, str] = {}
    with gathered_files(path, refused) as files:
        if not contested and not wanted.decided:
            files = [file for file in files if not is_in_its_place(file, wanted.course)]
        recogniser = Recogniser(files, wanted.lessons, wanted.course, above)
        present = {file.shown for file in files}
        gone = [each for each in wanted.lessons if wanted.decided.get(each.name, "") not in {"", *present}]
        missing += [each for each in gone if is_missing(given.get(each.name), each, wanted.course)]
        found = recognise(recogniser, missing, contested, given, wanted.decided)
        remarks, questions = list(found.remarks), list(found.questions)
        remarks += (IntakeRemark("unread", f"{name}: {sentence}") for name, sentence in refused.items())
        if len(missing) == len(undecided) and not found.lessons:
            remarks += not_of_this_run(recogniser, wanted)
            if not has_lesson(given) and (unread := tuple(recogniser.unread())):
                questions.append(GuessQuestion(unread, {}, (), "It defines no function of a lesson."))
    return replace(found, remarks=tuple(remarks), questions=tuple(questions))


def unread_question(names: Sequence[str]) -> tuple[GuessQuestion, ...]:
    """What a person should decide about files of a kind that is not known, which may be work all the same."""
    if not {"a file of another kind", "a text file"} & {kind_by_suffix(name) for name in names}:
        return ()
    return (
        GuessQuestion(tuple(names[:MAX_REMARKS]), {}, (), f"{only_others(names)} Unpack or rename it, and run again."),
    )


def has_lesson(given: Mapping[str, LessonFiles]) -> bool:
    return any(each.present or each.rejected for each in given.values())


def is_missing(submitted: LessonFiles | None, lesson: Lesson, course: Sequence[Lesson]) -> bool:
    """Whether a lesson's file is not there, is the untouched stub, or has other lessons' functions."""
    if submitted is None or not (submitted.present or submitted.rejected):
        return True
    if submitted.rejected or submitted.origin is not None:
        return False
    source = submitted.files[BACKWARD_FILE]
    defined = {name.decode("ascii", "replace") for name in DEFINITION.findall(source)}
    own = len(defined.intersection(lesson.functions))
    in_its_folder = "/" in submitted.shown
    return (
        not own
        or (not in_its_folder and any(len(defined.intersection(other.functions)) > own for other in course))
        or without_layout(source) == without_layout(readable_text(lesson.pristine))
    )


def is_in_its_place(file: GatheredFile, course: Sequence[Lesson]) -> bool:
    """Whether a file is in the folder of the lesson whose functions it defines, and has no other lesson's.

    Most files are, and need not be searched when another lesson is missing.
    """
    own = next((each for each in course if file.parts[-2:] == (each.name, BACKWARD_FILE)), None)
    defined = Counter(name.decode("ascii", "replace") for name in DEFINITION.findall(file.source))
    if own is None or defined.keys().isdisjoint(own.functions) or max(defined.values()) > 1:
        return False
    further = defined.keys() - set(own.functions)
    return all(further.isdisjoint(each.functions) for each in course)


def has_copies(submitted: LessonFiles) -> bool:
    return any(name != BACKWARD_FILE and is_copy(PurePath(name)) for name in submitted.files)


def not_of_this_run(recogniser: Recogniser, wanted: Wanted) -> list[IntakeRemark]:
    """Remarks about files for lessons that this run does not grade."""
    here = {lesson.name for lesson in wanted.lessons}
    others = {
        file.shown: [name for name in recogniser.fitting_lessons(file.shown) if name not in here]
        for file in recogniser.files
    }
    return [
        IntakeRemark("unread", f"`{shown}` is {' and '.join(names)}, which this run does not grade.")
        for shown, names in others.items()
        if names
    ][:MAX_REMARKS]


def only_others(names: Sequence[str]) -> str:
    """A sentence about a submission without a Python file, notebook or archive: `names` are those of its files."""
    kinds = dict.fromkeys(kind_by_suffix(name) for name in names)
    shown = ", ".join(f"`{name[:80]}`" for name in names[:3]) + (", ..." if len(names) > 3 else "")
    return f"Submitted {' and '.join(list(kinds)[:3])} ({shown}) and no Python file."


def kind_by_suffix(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return next((kind for kind, suffixes in KINDS_OF_FILES.items() if suffix in suffixes), "a file of another kind")
