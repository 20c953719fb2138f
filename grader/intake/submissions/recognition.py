"""Finds the lessons of a submission: gathers its files, scores each for each lesson, and assigns the best.

A file in its lesson's place scores highest, unless it is the untouched stub or has none of the lesson's functions. Of
several files that may be meant the likeliest is used, and a GuessQuestion asks the instructor. Every file is outlined,
never run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.outline import DEFINITION, outlines_limited
from grader.intake.submissions.file_kinds import file_cell, is_copy, stem_of
from grader.intake.submissions.fitting import (
    MIN_SHARE_OF_FUNCTIONS,
    Fit,
    Fitting,
    fitting_lessons,
    hints,
    lesson_text,
    readable_text,
)
from grader.intake.submissions.gathered import GatheredFile, gathered_files, without_layout
from grader.intake.submissions.helper_packages import with_neighbours
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.lesson_reading import (
    MAY_HAVE_GRADIENTS,
    read_notebook_file,
    read_page_bytes,
    read_source,
)
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.annotations import IntakeRemark

MAX_FILES_NAMED = 5
NUMBERED_FOLDER = re.compile(r"\d{1,2}(?:[_-]|$)")
"""A folder's name that says a lesson, perhaps of another course."""


@dataclass(frozen=True)
class Wanted:
    """What is looked for in a submission.

    Attributes:
        lessons: those of this run.
        course: all lessons of the course: a file may be for one that does not count.
        decided: {lesson: file} as the instructor decided in intake.csv, "" for no file.
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


@dataclass(frozen=True)
class GuessQuestion:
    """Something that a person should decide, for intake.csv.

    Attributes:
        found: the files that it is about.
        guess: {lesson: file}, which is used until somebody decides.
        alternatives: (lesson, file) that are possible as well.
        reason: a sentence.
    """

    found: tuple[str, ...]
    guess: Mapping[str, str]
    alternatives: tuple[tuple[str, str], ...]
    reason: str


@dataclass(frozen=True)
class Recognition:
    """What was recognised: {lesson: files}, remarks for the results, questions for the instructor."""

    lessons: Mapping[str, LessonFiles] = field(default_factory=dict)
    remarks: tuple[IntakeRemark, ...] = ()
    questions: tuple[GuessQuestion, ...] = ()

    def __add__(self, other: Recognition) -> Recognition:
        lessons = {**self.lessons, **other.lessons}
        return Recognition(lessons, self.remarks + other.remarks, self.questions + other.questions)


def unread_remark(sentence: str) -> Recognition:
    return Recognition(remarks=(IntakeRemark("unread", sentence),))


def recognise(place: Path, given: Mapping[str, LessonFiles], wanted: Wanted, above: Sequence[str] = ()) -> Recognition:
    """The lessons in `place`, a folder or a file, of which a better file is there than that in the lesson's place.

    `given` are the files in their lessons' places, `above` the names of archives around `place`.
    """
    placed = {name: files for name, files in given.items() if is_attempt(files, wanted)}
    open_ = [each.name for each in wanted.lessons if each.name not in placed or has_copies(placed[each.name])]
    if not open_ and not wanted.decided:
        return Recognition()
    refused: dict[str, str] = {}
    found = Recognition()
    with gathered_files(place, refused) as gathered:
        files = SubmittedFiles(gathered, wanted, above)
        for lesson in wanted.lessons:
            decision = wanted.decided.get(lesson.name)
            if decision is not None:
                found += apply_decision(files, lesson, decision)
            if lesson.name in open_ and lesson.name not in found.lessons:
                found += recognise_lesson(files, lesson, given.get(lesson.name), lesson.name in placed)
        found += sum((unread_remark(f"{name}: {sentence}") for name, sentence in refused.items()), Recognition())
        if not placed and not found.lessons:
            found += files.not_of_this_run()
            if not has_lesson(given):
                found += files.unread()
    return found


def has_lesson(given: Mapping[str, LessonFiles]) -> bool:
    return any(each.present or each.rejected for each in given.values())


def is_attempt(given: LessonFiles, wanted: Wanted) -> bool:
    """Whether the file in a lesson's place has functions of it, is no untouched stub, and is not for another lesson.

    One that may not be graded is an attempt.
    """
    if given.origin is not None or not given.present:
        return given.present or given.rejected
    (lesson,) = (each for each in wanted.lessons if each.name == given.lesson)
    source = given.files[BACKWARD_FILE]
    defined = {name.decode("ascii", "replace") for name in DEFINITION.findall(source)}
    own = len(defined.intersection(lesson.functions))
    is_in_a_folder = "/" in given.shown
    return (
        own > 0
        and (is_in_a_folder or all(len(defined.intersection(other.functions)) <= own for other in wanted.course))
        and without_layout(source) != without_layout(readable_text(lesson.pristine))
    )


def has_copies(submitted: LessonFiles) -> bool:
    return any(name != BACKWARD_FILE and is_copy(PurePosixPath(name)) for name in submitted.files)


@dataclass(frozen=True)
class Candidate:
    """A file that may be a lesson's.

    Attributes:
        written: how many of the lesson's functions or gradients it has that are not the stub's.
        why: the end of a sentence that says why it is the lesson's.
        hint: 1 if its path mentions the lesson, -1 if it mentions another one, else 0.
        others: lessons that it may be for as well.
        fit: of its functions; None for the lecture's notebook or a script like it.
        is_given: it is the file in the lesson's place.
    """

    file: GatheredFile
    written: int
    why: str
    hint: int
    others: tuple[str, ...] = ()
    fit: Fit | None = None
    is_given: bool = False

    @property
    def score(self) -> tuple[object, ...]:
        """The likeliest file has the highest."""
        name = PurePosixPath(self.file.shown)
        return (
            self.hint,
            self.written,
            name.name.lower() == BACKWARD_FILE,
            not is_copy(name),
            -len(self.file.parts),
        )


class SubmittedFiles:
    """The files of one submission, and the lessons that they may be for."""

    def __init__(self, files: Sequence[GatheredFile], wanted: Wanted, above: Sequence[str]) -> None:
        self.wanted = wanted
        self.files = with_outlines(files, wanted.course)
        self._hints = {file.shown: hints([*above, *file.parts], wanted.course) for file in self.files}
        self._fittings = {
            file.shown: fitting_lessons(file.outline, wanted.course, self._hints[file.shown]) for file in self.files
        }
        self._searched = [file for file in self.files if not self._is_in_its_place(file)]
        self._pages: dict[str, dict[str, LessonFiles]] = {}

    def _is_in_its_place(self, file: GatheredFile) -> bool:
        """Whether it is in the folder of the only lesson that it is for: it is no other lesson's."""
        return any(
            file.parts[-2:] == (each.name, BACKWARD_FILE) and self._fittings[file.shown].lessons == (each.name,)
            for each in self.wanted.course
        )

    def _is_helper(self, file: GatheredFile) -> bool:
        """Whether it has functions of a lesson, and another file next to it that imports it has some as well."""
        return bool(self._fittings[file.shown].fits) and any(
            other is not file
            and other.parts[:-1] == file.parts[:-1]
            and stem_of(file.path) in other.outline.imports
            and self._fittings[other.shown].fits
            for other in self.files
        )

    def _is_the_courses(self, file: GatheredFile) -> bool:
        """Whether the course gives out this very file next to a stub: it is not a student's work."""
        given = (lesson.exercise / file.path.name for lesson in self.wanted.course)
        return file.path.name != BACKWARD_FILE and any(
            path.is_file() and without_layout(readable_text(path)) == file.normal for path in given
        )

    def candidates(self, lesson: Lesson, given: bytes | None) -> list[Candidate]:
        """The files that may be the lesson's, the likeliest first. An untouched stub does not compete with others.

        `given` is the text of the file in the lesson's place.
        """
        stub, found = without_layout(readable_text(lesson.pristine)), list[Candidate]()
        for file in self.files:
            is_given = file.normal == given
            if file not in self._searched and not is_given:
                continue
            candidate = self._candidate(file, lesson)
            if candidate is not None and not self._is_helper(file) and not self._is_the_courses(file):
                written = candidate.written if file.normal != stub else 0
                found.append(replace(candidate, written=written, is_given=is_given))
        found.sort(key=lambda each: each.score, reverse=True)
        found = [each for each in found if each.written] or found
        return list({each.file.normal: each for each in reversed(found)}.values())[::-1]

    def _candidate(self, file: GatheredFile, lesson: Lesson) -> Candidate | None:
        hinted, fitting = self._hints[file.shown], self._fittings[file.shown]
        is_elsewhere = bool(hinted) or any(NUMBERED_FOLDER.match(part) for part in file.parts[:-1])
        hint = 1 if lesson.name in hinted else -1 if is_elsewhere else 0
        fit, alike = fitting.fits.get(lesson.name), self._alike(fitting, lesson)
        is_small = fit is not None and fit.share < MIN_SHARE_OF_FUNCTIONS
        if is_small and hint < 0:
            return None
        # the lecture's notebook has a `cmp`, as lesson 06 does
        is_lectures = is_small and hint < 1 and bool(self._page(file))
        if fit is not None and (lesson.name in fitting.lessons or alike) and not is_lectures:
            if alike and alike[0] != lesson.name:
                return None
            why = f"it defines {len(fit.functions)} of its {len(lesson.functions)} functions"
            return Candidate(file, fit.written, why, hint, alike[1:], fit)
        page = self._page(file).get(lesson.name)
        if page is not None and page.present and page.origin is not None:
            return Candidate(file, max(1, len(page.origin.rows)), "it assigns its gradients", hint)
        return None

    def _alike(self, fitting: Fitting, lesson: Lesson) -> tuple[str, ...]:
        """The lessons of this run between which the file does not decide, the likeliest first; none if it does."""
        here = {each.name for each in self.wanted.lessons}
        names = next((names for names in fitting.unclear if lesson.name in names), ())
        return tuple(name for name in names if name in here)

    def _page(self, file: GatheredFile) -> dict[str, LessonFiles]:
        """What a notebook or script in the lecture's manner contains; nothing for any other file."""
        if file.shown not in self._pages:
            self._pages[file.shown] = self._read_page(file)
        return self._pages[file.shown]

    def _read_page(self, file: GatheredFile) -> dict[str, LessonFiles]:
        lessons = [lesson for lesson in self.wanted.lessons if lesson.notebook is not None]
        gradients = {item.name for lesson in lessons for item in lesson.gradients}
        as_functions = len(gradients & file.outline.functions.keys())
        if as_functions >= max(1, len(gradients & file.outline.assigned)):
            return {}
        if not file.is_notebook and MAY_HAVE_GRADIENTS.search(file.source) is None:
            return {}
        try:
            page = read_page_bytes(file.source, file.shown, lessons, False, file.is_notebook)
        except NotebookError:
            return {}
        return page.lessons if any(each.present for each in page.lessons.values()) else {}

    def read(self, file: GatheredFile, lesson: Lesson, fit: Fit | None = None) -> LessonFiles:
        """The file as the lesson's, with what it imports from the files next to it."""
        page = self._page(file).get(lesson.name) if fit is None else None
        if page is not None and page.present:
            return page.in_place if lesson.name in self._hints[file.shown] and not file.is_notebook else page
        if file.is_notebook:
            return read_notebook_file(file.path, lesson, file.shown)
        is_shared = fit is not None and len(self._fittings[file.shown].lessons) > 1
        source = lesson_text(file.source, file.outline, fit) if fit and is_shared else file.source
        files = {BACKWARD_FILE: source} if file.is_alone else with_neighbours(file.path, source)
        return read_source(lesson, files, file.shown)

    def not_of_this_run(self) -> Recognition:
        """Remarks about files for lessons that this run does not grade."""
        here, sentences = {lesson.name for lesson in self.wanted.lessons}, list[str]()
        for file in self._searched:
            names = [name for name in self._fittings[file.shown].lessons if name not in here]
            if names:
                sentences.append(f"`{file.shown}` is {' and '.join(names)}, which this run does not grade.")
        return sum(map(unread_remark, sentences[:MAX_FILES_NAMED]), Recognition())

    def unread(self) -> Recognition:
        """The question about files of which nobody can say which lesson they are for."""
        shown = [each.shown for each in self._searched if not self._fittings[each.shown].fits and not self._page(each)]
        question = GuessQuestion(tuple(shown), {}, (), "It defines no function of a lesson.")
        return Recognition(questions=(question,) if shown else ())


def with_outlines(files: Sequence[GatheredFile], course: Sequence[Lesson]) -> list[GatheredFile]:
    """The files with outlines. Those in which no function's or gradient's name occurs are not outlined."""
    names = [name.encode() for lesson in course for name in lesson.functions]
    likely = {
        file.shown: file
        for file in files
        if any(name in file.source for name in names) or MAY_HAVE_GRADIENTS.search(file.source)
    }
    outlines = outlines_limited([(file.source, file.is_notebook) for file in likely.values()]) if likely else []
    outlined = dict(zip(likely, outlines, strict=True))
    return [replace(file, outline=outlined.get(file.shown, file.outline)) for file in files]


def recognise_lesson(files: SubmittedFiles, lesson: Lesson, given: LessonFiles | None, is_placed: bool) -> Recognition:
    """The likeliest file as the lesson's; nothing if that is the `given` one, which is read already.

    If the lesson `is_placed`, only copies of its file compete with it.
    """
    main = without_layout(given.files[BACKWARD_FILE]) if given is not None and given.present else None
    candidates = files.candidates(lesson, main)
    if is_placed:
        candidates = [each for each in candidates if each.is_given] + [
            each for each in candidates if is_copy(each.file.path) and not each.is_given
        ]
    if not candidates:
        return Recognition()
    chosen, *others = candidates
    shown, lessons = chosen.file.shown, dict[str, LessonFiles]()
    if not chosen.is_given:
        lessons = {lesson.name: files.read(chosen.file, lesson, chosen.fit)}
    rivals = () if chosen.hint == 1 and all(each.hint == -1 for each in others) else others
    if rivals or chosen.others:
        possible = [(lesson.name, each.file.shown) for each in rivals] + [(name, shown) for name in chosen.others]
        names = tuple(dict.fromkeys([shown, *(file for _, file in possible)]))
        reason = reason_of(lesson.name, shown, rivals, chosen.others)
        remark = IntakeRemark("guess", f"{reason} The instructor decides in intake.csv.")
        question = GuessQuestion(names, {lesson.name: shown}, tuple(possible), reason)
        return Recognition(lessons, (remark,), (question,))
    if chosen.is_given or lessons[lesson.name].nothing:  # a `cmp` of its own, in a notebook about other lessons
        return Recognition(lessons)
    return Recognition(lessons, (IntakeRemark("recognised", f"`{shown}` is read as {lesson.name}: {chosen.why}."),))


def reason_of(lesson: str, shown: str, rivals: Sequence[Candidate], others: Sequence[str]) -> str:
    if rivals:
        names = ", ".join(f"`{each.file.shown}`" for each in rivals[:MAX_FILES_NAMED])
        return f"Several different files may be {lesson}: `{shown}` is graded, not {names}. A lesson is one file."
    return f"`{shown}` is graded as {lesson}, but its functions fit {' and '.join(others)} as well."


def apply_decision(files: SubmittedFiles, lesson: Lesson, wanted: str) -> Recognition:
    """The instructor decided that the file `wanted` is the lesson's, or none where it is ""."""
    if not wanted:
        message = "The instructor decided that no file of the submission is this lesson."
        remark = IntakeRemark("decided", f"No file is read as {lesson.name}: the instructor decided so.")
        return Recognition({lesson.name: LessonFiles(lesson.name, message=message)}, (remark,))
    file = next(
        (each for each in files.files if wanted in (each.shown, file_cell(each.shown).removeprefix("./"))), None
    )
    if file is None:
        return unread_remark(f"intake.csv says that `{wanted}` is {lesson.name}, and the submission has no such file.")
    remark = IntakeRemark("decided", f"`{wanted}` is read as {lesson.name}: the instructor decided so.")
    return Recognition({lesson.name: files.read(file, lesson)}, (remark,))
