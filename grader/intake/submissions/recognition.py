"""Recognises which files of a submission are which lessons', where their names do not say so as they should.

An interpretation is accepted where only one is possible. Of several the likeliest is used, and a GuessQuestion asks the
instructor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.intake.submissions.candidates import CandidateFile, Recogniser
from grader.intake.submissions.file_kinds import is_copy
from grader.intake.submissions.gathered import GatheredFile, joined_text, without_layout
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.annotations import IntakeRemark

MAX_FILES_NAMED = 5


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


def recognise(
    recogniser: Recogniser,
    missing: Sequence[Lesson],
    contested: Sequence[Lesson],
    given: Mapping[str, LessonFiles],
    decided: Mapping[str, str],
) -> Recognition:
    """Looks for the `missing` lessons in all files.

    Args:
        contested: lessons that were found where they should be, with a copy of the file next to it.
        given: {lesson: what was found where it should be}.
        decided: {lesson: file} as the instructor decided, "" for no file.
    """
    found = [recognise_lesson(recogniser, lesson, given.get(lesson.name), False) for lesson in missing]
    found += [recognise_lesson(recogniser, lesson, given[lesson.name], True) for lesson in contested]
    decisions = [lesson for lesson in recogniser.lessons if lesson.name in decided]
    found += [apply_decision(recogniser, lesson, decided[lesson.name]) for lesson in decisions]
    return Recognition(
        {name: files for each in found for name, files in each.lessons.items()},
        tuple(remark for each in found for remark in each.remarks),
        tuple(question for each in found for question in each.questions),
    )


def recognise_lesson(
    recogniser: Recogniser, lesson: Lesson, given: LessonFiles | None, is_contested: bool
) -> Recognition:
    candidates = recogniser.candidates(lesson)
    main = given.files.get(BACKWARD_FILE) if given is not None else None
    own = without_layout(main) if main is not None else None
    if is_contested:
        first = [each for each in candidates if each.file.normal == own]
        candidates = first + [each for each in candidates if is_copy(each.file.path) and each not in first]
    if not candidates:
        return Recognition()
    chosen, *others = candidates
    shown, lessons = chosen.file.shown, dict[str, LessonFiles]()
    is_given = chosen.file.normal == own
    if not is_given:
        if parts := recogniser.parts(lesson, chosen):
            return recognised_in_parts(lesson, parts)
        lessons = {lesson.name: recogniser.read(chosen.file, lesson, chosen)}
    rivals = () if chosen.hint == 1 and all(each.hint == -1 for each in others) else others
    if rivals or chosen.others:
        possible = [(lesson.name, each.file.shown) for each in rivals] + [(name, shown) for name in chosen.others]
        files = tuple(dict.fromkeys([shown, *(file for _, file in possible)]))
        reason = reason_of(lesson.name, shown, rivals, chosen)
        return with_guess(lessons, GuessQuestion(files, {lesson.name: shown}, tuple(possible), reason))
    if is_given:
        return Recognition()
    if lessons[lesson.name].nothing:
        return Recognition(lessons)  # a `cmp` or `backward` of its own, in a notebook that is about other lessons
    return Recognition(lessons, (IntakeRemark("recognised", f"`{shown}` is read as {lesson.name}: {chosen.why}."),))


def recognised_in_parts(lesson: Lesson, parts: Sequence[GatheredFile]) -> Recognition:
    shown = " + ".join(file.shown for file in parts)
    sentence = f"`{shown}` are read together as {lesson.name}: each defines other functions of it."
    files = LessonFiles(lesson.name, {BACKWARD_FILE: joined_text(parts)}, shown=shown)
    return Recognition({lesson.name: files}, (IntakeRemark("recognised", sentence),))


def with_guess(lessons: Mapping[str, LessonFiles], question: GuessQuestion) -> Recognition:
    remark = IntakeRemark("guess", f"{question.reason} The instructor decides in intake.csv.")
    return Recognition(lessons, (remark,), (question,))


def apply_decision(recogniser: Recogniser, lesson: Lesson, wanted: str) -> Recognition:
    """The instructor decided that the file `wanted` is the lesson's, or none where it is ""."""
    if not wanted:
        message = "The instructor decided that no file of the submission is this lesson."
        remark = IntakeRemark("decided", f"No file is read as {lesson.name}: the instructor decided so.")
        return Recognition({lesson.name: LessonFiles(lesson.name, message=message)}, (remark,))
    file = next((each for each in recogniser.files if each.shown == wanted), None)
    if file is None:
        sentence = f"intake.csv says that `{wanted}` is {lesson.name}, and the submission has no such file."
        return Recognition(remarks=(IntakeRemark("unread", sentence),))
    remark = IntakeRemark("decided", f"`{wanted}` is read as {lesson.name}: the instructor decided so.")
    return Recognition({lesson.name: recogniser.read(file, lesson)}, (remark,))


def reason_of(lesson: str, shown: str, rivals: Sequence[CandidateFile], chosen: CandidateFile) -> str:
    if rivals:
        names = ", ".join(f"`{each.file.shown}`" for each in rivals[:MAX_FILES_NAMED])
        return f"Several different files may be {lesson}: `{shown}` is graded, not {names}."
    return f"`{shown}` is graded as {lesson}, but its functions fit {' and '.join(chosen.others)} as well."
