"""Finds the lessons of a submission: scores each file for each lesson, and assigns the best.

A file in its lesson's place scores highest, unless it is the untouched stub or has none of the lesson's functions. Of
several files that may be meant the likeliest is used, and a GuessQuestion asks the instructor. Every file is outlined,
never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.outline import DEFINITION, FileOutline, outlines_limited
from grader.intake.submissions.file_kinds import NOTEBOOK, file_cell, is_copy, stem_of, suffix_of
from grader.intake.submissions.fitting import (
    MIN_SHARE_OF_FUNCTIONS,
    Fit,
    Fitting,
    fitting_lessons,
    lesson_text,
    readable_text,
)
from grader.intake.submissions.gathered import Gathered, GatheredFile, without_layout
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable
from grader.intake.submissions.lesson_names import hinted_by, hints, is_named, names_lesson, says_lesson
from grader.intake.submissions.lesson_reading import (
    MAY_HAVE_GRADIENTS,
    read_as_page,
    read_page,
    read_source,
    read_with_neighbours,
    rejected_files,
)
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.annotations import IntakeRemark

MAX_FILES_NAMED = 5
MAX_SEARCHED_FILES = 100
MAX_SEARCHED_BYTES = 4 << 20
"""Of the files that are searched for functions; a notebook counts without its pictures only after it is read."""


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
class Candidate:
    """A file that may be a lesson's.

    Attributes:
        place: how exactly its place is the lesson's, as `LessonFinder.place` says; 0 for a file found by its contents.
        hint: 1 if its path mentions the lesson, -1 if it mentions another one, else 0.
        written: how many of the lesson's functions or gradients it has that are not the stub's.
        why: the end of a sentence that says why it is the lesson's.
        others: lessons that it may be for as well.
        fit: of its functions; None for the lecture's notebook or a script like it.
    """

    file: GatheredFile
    place: int = 0
    hint: int = 0
    written: int = 0
    why: str = ""
    others: tuple[str, ...] = ()
    fit: Fit | None = None

    @property
    def score(self) -> tuple[int, ...]:
        """The likeliest file has the highest."""
        path, depth = self.file.path, len(self.file.parts)
        is_main = path.name.lower() == BACKWARD_FILE
        return self.place, self.hint, self.written, is_main, not is_copy(PurePosixPath(path.name)), -depth


class LessonFinder:
    """The files of one submission, and the lessons that they are for.

    Attributes:
        lessons: {lesson's name: its files}.
        remarks: for the results.
        questions: for the instructor.
    """

    def __init__(self, gathered: Gathered, wanted: Wanted, above: Sequence[str] = ()) -> None:
        """`above` are the names of archives around the submission."""
        self.gathered, self.wanted, self._above = gathered, wanted, above
        self.lessons: dict[str, LessonFiles] = {}
        self.remarks: list[IntakeRemark] = []
        self.questions: list[GuessQuestion] = []
        self._pages: dict[str, dict[str, LessonFiles]] = {}

    def find(self) -> None:
        for lesson in self.wanted.lessons:
            decision = self.wanted.decided.get(lesson.name)
            if decision is None or not self._apply(lesson, decision):
                self._assign(lesson)
        self.remarks += [IntakeRemark("unread", f"{name}: {why}") for name, why in self.gathered.refused.items()]

    def _apply(self, lesson: Lesson, decision: str) -> bool:
        """The instructor decided that this file is the lesson's, or none where it is ""; False without such a file."""
        if not decision:
            message = "The instructor decided that no file of the submission is this lesson."
            self.lessons[lesson.name] = LessonFiles(lesson.name, message=message)
            sentence = f"No file is read as {lesson.name}: the instructor decided so."
            self.remarks.append(IntakeRemark("decided", sentence))
            return True
        for file in self.gathered.files:
            if decision in (file.shown, file_cell(file.shown).removeprefix("./")):
                self.lessons[lesson.name] = self._read(file, lesson, None)
                sentence = f"`{decision}` is read as {lesson.name}: the instructor decided so."
                self.remarks.append(IntakeRemark("decided", sentence))
                return True
        sentence = f"intake.csv says that `{decision}` is {lesson.name}, and the submission has no such file."
        self.remarks.append(IntakeRemark("no_file", sentence))
        return False

    # A file in the lesson's place -------------------------------------------------------------------------------------

    def place(self, file: GatheredFile, lesson: Lesson) -> int:
        """3 to 5 for a file in the lesson's folder, 2 for one with its name, 1 for the only one of the only lesson."""
        is_main = self._mains.get(file.folder) is file
        if named := is_named(file.folder.rpartition("/")[2], lesson):
            return 2 + named if is_main else 0
        if suffix_of(file.path) not in (".py", NOTEBOOK):
            return 0
        if names_lesson(stem_of(file.path), lesson):
            return 2
        return int(is_main and len(self.wanted.lessons) == 1 and file.folder == self._loose_folder)

    @cached_property
    def _loose_folder(self) -> str | None:
        """The folder of files that is nearest to the root and mentions no other lesson than the only one of the run."""
        course, (lesson,) = self.wanted.course, self.wanted.lessons
        for folder in dict.fromkeys(file.folder for file in self.gathered.files):
            names = folder.split("/")
            if all(lesson.name in hinted_by(each, course) or not says_lesson(each, course) for each in names):
                return folder
        return None

    @cached_property
    def _mains(self) -> dict[str, GatheredFile]:
        """{folder: its backward.py; else its only notebook, and outside of lessons' folders its only file}."""
        by_folder: dict[str, list[GatheredFile]] = {}
        for file in self.gathered.files:
            by_folder.setdefault(file.folder, []).append(file)
        found = {}
        for folder, files in by_folder.items():
            named = [file for file in files if file.path.name.lower() == BACKWARD_FILE]
            exact = [file for file in named if file.path.name == BACKWARD_FILE]
            is_lessons = any(is_named(folder.rpartition("/")[2], each) for each in self.wanted.course)
            possible = exact or named or [file for file in files if file.is_notebook or not is_lessons]
            if len(possible) == 1:
                found[folder] = possible[0]
        return found

    def _read_in_place(self, file: GatheredFile, lesson: Lesson, place: int) -> LessonFiles:
        try:
            is_only = place == 1 and file.path.name != BACKWARD_FILE
            if not file.is_notebook and not self.gathered.is_one_file:
                found = read_with_neighbours(file, lesson, file.source, all_of_them=place != 2 and not is_only)
                if not is_only or len(found.files) > 1:
                    return found
            if file.is_notebook or is_only:
                return read_as_page(file, lesson, lesson.name in hints(file.parts, self.wanted.lessons))
            return read_source(lesson, {BACKWARD_FILE: file.source}, file.shown)
        except Unreadable as error:
            return rejected_files(lesson, error)

    def _is_attempt(self, file: GatheredFile, given: LessonFiles, lesson: Lesson, place: int) -> bool:
        """Whether the file in a lesson's place has functions of it, is no untouched stub, and is no other lesson's.

        One that may not be graded is an attempt.
        """
        if given.origin is not None or not given.present:
            return given.present or given.rejected
        defined = {name.decode("ascii", "replace") for name in DEFINITION.findall(file.source)}
        own = len(defined.intersection(lesson.functions))
        others = max(len(defined.intersection(other.functions)) for other in self.wanted.course)
        return own > 0 and (place > 2 or others <= own) and file.normal != pristine_text(lesson)

    # One lesson -------------------------------------------------------------------------------------------------------

    def _assign(self, lesson: Lesson) -> None:
        """The likeliest file as the lesson's. The untouched stub in its place competes with files of any place."""
        placed = [(place, file) for file in self.gathered.files if (place := self.place(file, lesson))]
        placed.sort(key=lambda each: (each[0], -len(each[1].parts)), reverse=True)
        given, main = None, None
        if placed:
            place, main = placed[0]
            given = self._read_in_place(main, lesson, place)
            if self._is_attempt(main, given, lesson, place):
                equals = [Candidate(file, each) for each, file in placed if each == place]
                equals = [each for each in equals if len(each.file.parts) == len(main.parts)]
                copies = [each for each in self.gathered.files if each.folder == main.folder and is_copy(each.path)]
                if main.is_notebook or not copies:
                    return self._decide(lesson, equals, given)
                found = [each for each in self._candidates(lesson) if is_copy(each.file.path)]
                return self._decide(lesson, [*equals, *found], given)
        found = self._candidates(lesson)
        if found:
            self._decide(lesson, found, given if found[0].file is main else None)
        elif given is not None:
            self.lessons[lesson.name] = given

    def _decide(self, lesson: Lesson, candidates: Iterable[Candidate], given: LessonFiles | None) -> None:
        """The first candidate is the lesson's file, already read as `given`; different others are a question."""
        by_text = {each.file.normal: each for each in reversed(list(candidates))}
        chosen, *others = list(by_text.values())[::-1]
        shown = chosen.file.shown
        self.lessons[lesson.name] = given or self._read(chosen.file, lesson, chosen.fit)
        # a notebook in the lecture's manner is where it should be if it is all that was submitted
        is_the_page = chosen.fit is None and len(self.gathered.files) == 1
        rivals = () if chosen.hint == 1 and all(each.hint == -1 for each in others) else others
        if rivals or chosen.others:
            possible = [(lesson.name, each.file.shown) for each in rivals] + [(name, shown) for name in chosen.others]
            names = tuple(dict.fromkeys([shown, *(file for _, file in possible)]))
            reason = reason_of(lesson.name, shown, rivals, chosen.others)
            self.remarks.append(IntakeRemark("guess", f"{reason} The instructor decides in intake.csv."))
            self.questions.append(GuessQuestion(names, {lesson.name: shown}, tuple(possible), reason))
        elif given is None and not self.lessons[lesson.name].nothing and not is_the_page:
            sentence = f"`{shown}` is read as {lesson.name}: {chosen.why}."
            self.remarks.append(IntakeRemark("recognised", sentence))

    def _read(self, file: GatheredFile, lesson: Lesson, fit: Fit | None) -> LessonFiles:
        page = self.page(file).get(lesson.name) if fit is None else None
        if page is not None and page.present:
            is_in_place = not file.is_notebook and lesson.name in self._hints(file)
            return page.in_place if is_in_place else page
        try:
            if file.is_notebook:
                return read_as_page(file, lesson, False)
            is_shared = fit is not None and len(self.fittings[file.shown].lessons) > 1
            source = lesson_text(file.source, self.outlines[file.shown], fit) if fit and is_shared else file.source
            if self.gathered.is_one_file:
                return read_source(lesson, {BACKWARD_FILE: source}, file.shown)
            return read_with_neighbours(file, lesson, source, all_of_them=False)
        except Unreadable as error:
            return rejected_files(lesson, error)

    # By contents ------------------------------------------------------------------------------------------------------

    @cached_property
    def outlines(self) -> dict[str, FileOutline]:
        """{file: outline}, of files that can be read. One in which no name of a lesson occurs has an empty outline."""
        names = [name.encode() for lesson in self.wanted.course for name in lesson.functions]
        found, likely, total = dict[str, FileOutline](), list[GatheredFile](), 0
        for file in self.gathered.files[:MAX_SEARCHED_FILES]:
            try:
                total += 0 if file.is_notebook else len(file.source)
                is_likely = any(name in file.source for name in names) or MAY_HAVE_GRADIENTS.search(file.source)
            except Unreadable:
                continue
            if total <= MAX_SEARCHED_BYTES:
                found[file.shown] = FileOutline()
                likely += [file] if is_likely else []
        outlines = outlines_limited([(file.source, file.is_notebook) for file in likely]) if likely else []
        return found | {file.shown: outline for file, outline in zip(likely, outlines, strict=True)}

    @cached_property
    def fittings(self) -> dict[str, Fitting]:
        """{file: the lessons that it is for, by its functions}."""
        files = {file.shown: file for file in self.gathered.files}
        return {
            shown: fitting_lessons(outline, self.wanted.course, self._hints(files[shown]))
            for shown, outline in self.outlines.items()
        }

    @cached_property
    def searched(self) -> list[GatheredFile]:
        """The files without those in the folder of the only lesson that they are for, and what the course gives out."""
        return [
            file
            for file in self.gathered.files
            if file.shown in self.outlines and not self._is_in_its_place(file) and not self._is_the_courses(file)
        ]

    def _hints(self, file: GatheredFile) -> set[str]:
        return hints([*self._above, *file.parts], self.wanted.course)

    def _is_in_its_place(self, file: GatheredFile) -> bool:
        return any(
            file.parts[-2:] == (each.name, BACKWARD_FILE) and self.fittings[file.shown].lessons == (each.name,)
            for each in self.wanted.course
        )

    def _is_the_courses(self, file: GatheredFile) -> bool:
        """Whether the course gives out this very file next to a stub: it is not a student's work."""
        given = (lesson.exercise / file.path.name for lesson in self.wanted.course)
        return file.path.name != BACKWARD_FILE and any(
            path.is_file() and without_layout(readable_text(path)) == file.normal for path in given
        )

    def _is_helper(self, file: GatheredFile) -> bool:
        """Whether it has functions of a lesson, and another file next to it that imports it has some as well."""
        return bool(self.fittings[file.shown].fits) and any(
            self.fittings[other.shown].fits and stem_of(file.path) in self.outlines[other.shown].imports
            for other in self.gathered.files
            if other is not file and other.folder == file.folder and other.shown in self.outlines
        )

    def _candidates(self, lesson: Lesson) -> list[Candidate]:
        """The files that may be the lesson's, the likeliest first. An untouched stub does not compete with others."""
        placed = [each for each in self.gathered.files if each.shown in self.outlines and self.place(each, lesson)]
        files = list(dict.fromkeys([*self.searched, *placed]))
        found = [each for file in files if (each := self._candidate(file, lesson)) and not self._is_helper(file)]
        found.sort(key=lambda each: each.score, reverse=True)
        return [each for each in found if each.written] or found

    def _candidate(self, file: GatheredFile, lesson: Lesson) -> Candidate | None:
        hinted, fitting = self._hints(file), self.fittings[file.shown]
        is_elsewhere = bool(hinted) or any(says_lesson(part, self.wanted.course) for part in file.parts[:-1])
        hint = 1 if lesson.name in hinted else -1 if is_elsewhere else 0
        fit, alike = fitting.fits.get(lesson.name), self._alike(fitting, lesson)
        is_small = fit is not None and fit.share < MIN_SHARE_OF_FUNCTIONS
        if is_small and hint < 0:
            return None
        # the lecture's notebook has a `cmp`, as lesson 06 does
        is_lectures = is_small and hint < 1 and bool(self.page(file))
        if fit is not None and (lesson.name in fitting.lessons or alike) and not is_lectures:
            if alike and alike[0] != lesson.name:
                return None
            why = f"it defines {len(fit.functions)} of its {len(lesson.functions)} functions"
            written = fit.written if file.normal != pristine_text(lesson) else 0
            return Candidate(file, 0, hint, written, why, alike[1:], fit)
        page = self.page(file).get(lesson.name)
        if page is not None and page.present and page.origin is not None:
            return Candidate(file, 0, hint, max(1, len(page.origin.rows)), "it assigns its gradients")
        return None

    def _alike(self, fitting: Fitting, lesson: Lesson) -> tuple[str, ...]:
        """The lessons of this run between which the file does not decide, the likeliest first; none if it does."""
        here = {each.name for each in self.wanted.lessons}
        names = next((names for names in fitting.unclear if lesson.name in names), ())
        return tuple(name for name in names if name in here)

    def page(self, file: GatheredFile) -> dict[str, LessonFiles]:
        """What a notebook or script in the lecture's manner contains; nothing for any other file."""
        if file.shown not in self._pages:
            self._pages[file.shown] = self._read_page(file)
        return self._pages[file.shown]

    def _read_page(self, file: GatheredFile) -> dict[str, LessonFiles]:
        outline = self.outlines.get(file.shown)
        if outline is None:
            return {}
        lessons = [lesson for lesson in self.wanted.lessons if lesson.notebook is not None]
        gradients = {item.name for lesson in lessons for item in lesson.gradients}
        as_functions = len(gradients & outline.functions.keys())
        if as_functions >= max(1, len(gradients & outline.assigned)):
            return {}
        if not file.is_notebook and MAY_HAVE_GRADIENTS.search(file.source) is None:
            return {}
        try:
            page = read_page(file.source, file.shown, lessons, False, file.is_notebook)
        except NotebookError:
            return {}
        return page if any(each.present for each in page.values()) else {}

    # What is not graded -----------------------------------------------------------------------------------------------

    def not_of_this_run(self) -> list[IntakeRemark]:
        """Remarks about files for lessons that this run does not grade."""
        here = {lesson.name for lesson in self.wanted.lessons}
        for_others = [
            (file.shown, names)
            for file in self.searched
            if (names := [name for name in self.fittings[file.shown].lessons if name not in here])
        ]
        return [
            IntakeRemark("unread", f"`{shown}` is {' and '.join(names)}, which this run does not grade.")
            for shown, names in for_others[:MAX_FILES_NAMED]
        ]

    def unread(self) -> list[GuessQuestion]:
        """The question about files of which nobody can say which lesson they are for."""
        shown = [each.shown for each in self.searched if not self.fittings[each.shown].fits and not self.page(each)]
        return [GuessQuestion(tuple(shown), {}, (), "It defines no function of a lesson.")] if shown else []


def pristine_text(lesson: Lesson) -> bytes:
    return without_layout(readable_text(lesson.pristine))


def reason_of(lesson: str, shown: str, rivals: Sequence[Candidate], others: Sequence[str]) -> str:
    if rivals:
        names = ", ".join(f"`{each.file.shown}`" for each in rivals[:MAX_FILES_NAMED])
        return f"Several different files may be {lesson}: `{shown}` is graded, not {names}. A lesson is one file."
    return f"`{shown}` is graded as {lesson}, but its functions fit {' and '.join(others)} as well."
