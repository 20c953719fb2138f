"""Finds the lessons of a submission: scores each file for each lesson, and assigns the best.

A file in its lesson's place scores highest, unless it is the untouched stub or has none of the lesson's functions. Of
several files that may be meant the likeliest is used, and a line of intake.csv asks the instructor. Every file is
outlined, never run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from grader.intake.lesson_files import LessonFiles
from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.reading import read_notebook_limited
from grader.intake.submissions.file_kinds import Unreadable, stem_of
from grader.intake.submissions.fitting import (
    MIN_SHARE_OF_FUNCTIONS,
    Fit,
    Fitting,
    fitting_lessons,
    hinted_by,
    naming,
    readable_text,
    says_lesson,
)
from grader.intake.submissions.gathered import Gathered, GatheredFile, without_layout
from grader.intake.submissions.imported_files import imported_files
from grader.intake.submissions.intake_csv import IntakeLine, file_cell, intake_question
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import IntakeRemark
from grader.results.wording import listed_as_code

MAX_FILES_NAMED = 5
MIN_OF_THE_CHAIN = 3
"""A script that assigns so many gradients of the lecture is read as its notebook."""
MAX_SEARCHED_FILES = 100
MAX_SEARCHED_BYTES = 4 << 20
"""Of the files that are searched for functions; a notebook counts without its pictures only after it is read."""
MAY_HAVE_GRADIENTS = re.compile(rb"^[ \t]*\(?d[^\n=]*=|grad|cmp|allclose", re.MULTILINE)
"""Every script in the lecture's manner assigns a name that begins with d, or compares a gradient."""


class FileReading:
    """What one file of a submission has of the lessons. Each part is read when it is needed, and once."""

    def __init__(self, file: GatheredFile, archive: str, wanted: Sequence[Lesson], course: Sequence[Lesson]) -> None:
        """`archive` is the name of the archive that is the submission, "" where it is none."""
        self.file, self._archive, self._wanted, self._course = file, archive, wanted, course
        self._pages: dict[str, LessonFiles] = {}

    @cached_property
    def hints(self) -> set[str]:
        """The lessons that its path mentions: the innermost name that mentions any decides."""
        parts = (self._archive, *self.file.parts)
        return next((found for part in reversed(parts) if (found := hinted_by(part, self._course))), set())

    @cached_property
    def fitting(self) -> Fitting:
        """The lessons that it is for, by its functions. Raises Unreadable."""
        return fitting_lessons(self.file.outline, self._course, self.hints, [each.name for each in self._wanted])

    def pages(self, *requested: Lesson) -> dict[str, LessonFiles]:
        """What it has, read as a notebook or script, of each lesson that it may be for and of the `requested` ones.

        Raises NotebookError, Unreadable.
        """
        fits = self.fitting.fits
        lessons = {each.name: each for each in self._wanted if each.notebook or each.name in fits}
        lessons |= {each.name: each for each in requested}
        if unread := [each for name, each in lessons.items() if name not in self._pages]:
            chosen = fits if len(self.fitting.lessons) > 1 else {}  # else the last definition of a name, as in Python
            definitions = {name: dict(fit.functions) for name, fit in chosen.items()}
            parts, file = [notebook_lesson(lesson) for lesson in unread], self.file
            self._pages |= read_notebook_limited(file.source, file.shown, file.is_notebook, parts, definitions)
        return self._pages

    @cached_property
    def chains(self) -> dict[str, LessonFiles]:
        """The lessons whose gradients it assigns, as the lecture's notebook does."""
        gradients = {item.name for lesson in self._wanted if lesson.notebook for item in lesson.gradients}
        with suppress(NotebookError, Unreadable):
            defined = gradients & self.file.outline.functions.keys()
            assigned = gradients & self.file.outline.assigned
            may_be_page = self.file.is_notebook or MAY_HAVE_GRADIENTS.search(self.file.source)
            if may_be_page and len(defined) < max(1, len(assigned)):
                return {name: each for name, each in self.pages().items() if each.present and each.is_chain}
        return {}

    def as_lesson(self, lesson: Lesson, place: int) -> LessonFiles:
        """The lesson's files: of a notebook, a script in the lecture's manner, or a file with the stub's functions.

        `place` is what `LessonFinder.place` says.
        """
        try:
            if self.file.is_notebook:
                return self.pages(lesson)[lesson.name]
            found = self._as_module(lesson, place)
            is_named = place > 1 or lesson.name in self.hints or self.file.path.name == BACKWARD_FILE
            return found.in_place if is_named else found
        except NotebookError as error:
            return LessonFiles(lesson.name, message=f"{self.file.shown} cannot be read: {error}", rejected=True)
        except Unreadable as error:
            return LessonFiles(lesson.name, message=str(error), rejected=True)

    def _as_module(self, lesson: Lesson, place: int) -> LessonFiles:
        """A Python file as the lesson's, with what it imports from the files next to it.

        Of a file that is no `backward.py`, only the lesson's functions and what these need count; so it is with one
        that Python cannot parse as a whole, and with one that defines functions of several lessons under one name,
        unless it is in the lesson's place.
        """
        source, outline = self.file.source, self.file.outline
        nearby, left_out = ({}, None) if self.file.is_alone else imported_files(self.file.path, source)
        module = LessonFiles(lesson.name, {BACKWARD_FILE: source, **nearby}, self.file.shown, left_out)
        own = outline.functions.keys() & set(lesson.functions)
        # reading on would load torch, for the lesson's sizes
        is_script = lesson.notebook is not None and not own and MAY_HAVE_GRADIENTS.search(source) is not None
        is_several = place == 0 and len(self.fitting.lessons) > 1
        is_shared = is_several and any(len(outline.functions[name]) > 1 for name in own)
        is_module = place > 1 or self.file.path.name == BACKWARD_FILE
        if outline.parsed and (is_module or nearby) and not is_script and not is_shared:
            return module
        try:
            page = self.pages(lesson)[lesson.name]
        except NotebookError:
            return module
        if page.present:
            return replace(page, files={**module.files, **page.files}, message=page.message or left_out)
        # a script of another exercise: importing it would say something about its data, not about what is missing
        if not is_script:
            return module
        of_the_chain = outline.assigned.intersection(notebook_lesson(lesson).chain.names)
        return module if page.nothing and len(of_the_chain) < MIN_OF_THE_CHAIN else page

    def is_pristine(self, lesson: Lesson) -> bool:
        return self.file.normal == without_layout(readable_text(lesson.pristine))


@dataclass(frozen=True)
class Candidate:
    """A file that may be a lesson's.

    Attributes:
        place: how exactly its place is the lesson's, as `LessonFinder.place` says; 0 for a file found by its contents.
        hint: 1 if its path mentions the lesson, -1 if it mentions another one, else 0.
        written: how many of the lesson's functions or gradients it has that are not the stub's; below 0 for a file
            in the lesson's place that has none of them, the better its place the higher.
        fit: of its functions; None for a notebook or script in the lecture's manner.
        files: as the lesson's, where they are read already.
    """

    reading: FileReading
    place: int = 0
    hint: int = 0
    written: int = 0
    fit: Fit | None = None
    files: LessonFiles | None = None

    @property
    def file(self) -> GatheredFile:
        return self.reading.file

    @property
    def rank(self) -> tuple[int, int, int]:
        """Of several files with the highest rank, any may be meant: the exact place counts most."""
        return self.place, -len(self.file.parts) if self.place else 0, min(self.written, 1)

    @property
    def score(self) -> tuple[int, ...]:
        """The likeliest file has the highest."""
        is_main = self.file.path.name.lower() == BACKWARD_FILE
        return *self.rank, self.hint, self.written, is_main, -len(self.file.parts)


class LessonFinder:
    """The files of one submission, and the lessons that they are for.

    Attributes:
        readings: of all Python files and notebooks.
        lessons: {lesson's name: its files}.
        remarks: for the results.
        questions: for the instructor.
    """

    def __init__(
        self,
        gathered: Gathered,
        wanted: Sequence[Lesson],
        course: Sequence[Lesson],
        decided: Mapping[str, str],
        student: str,
    ) -> None:
        """Finds the `wanted` lessons, those of this run. A file may be for another one of the `course`.

        `decided` is {lesson: file} as the instructor decided in intake.csv for the `student`, "" for no file.
        """
        self._wanted, self._course, self._student = wanted, course, student
        self.readings = [FileReading(file, gathered.archive, wanted, course) for file in gathered.files]
        self.lessons: dict[str, LessonFiles] = {}
        self.remarks: list[IntakeRemark] = []
        self.questions: list[IntakeLine] = []
        for lesson in wanted:
            if lesson.name not in decided or not self._apply(lesson, decided[lesson.name]):
                self._assign(lesson)
        if not any(each.present or each.rejected for each in self.lessons.values()):
            self._explain_the_rest()
        for name, why in gathered.refused.items():
            self._remark("unread", f"{name}: {why}")

    def _remark(self, kind: str, sentence: str) -> None:
        self.remarks.append(IntakeRemark(kind, sentence))

    def _apply(self, lesson: Lesson, decision: str) -> bool:
        """The instructor decided that this file is the lesson's, or none where it is ""; False without such a file."""
        named = {name: each for each in self.readings for name in (each.file.shown, file_cell(each.file.shown))}
        reading = named.get(decision) or named.get(f"./{decision}")
        if decision and reading is None:
            sentence = f"intake.csv says that `{decision}` is {lesson.name}, and the submission has no such file."
            self._remark("no_file", sentence)
            return False
        message = "The instructor decided that no file of the submission is this lesson."
        none = LessonFiles(lesson.name, message=message)
        self.lessons[lesson.name] = none if reading is None else self._read(reading, lesson)
        shown = f"`{decision}`" if decision else "No file"
        self._remark("decided", f"{shown} is read as {lesson.name}: the instructor decided so.")
        return True

    def _assign(self, lesson: Lesson) -> None:
        """The likeliest file as the lesson's. Different others with its rank are a question.

        Files are searched for functions and gradients only where none is in the lesson's place.
        """
        placed = {each: self._placed(each, lesson) for each in self.readings if self.place(each, lesson)}
        found = [each for each in placed.values() if each.place]
        found = found or [c for each in self.readings if (c := self._by_contents(each, lesson, placed.get(each)))]
        found = found or self._only_one(lesson)
        found.sort(key=lambda each: each.score, reverse=True)
        by_text = dict[bytes, Candidate]()
        for each in found:
            if each.rank == found[0].rank:
                by_text.setdefault(each.file.normal, each)
        if not by_text:
            return
        chosen, *others = by_text.values()
        shown = chosen.file.shown
        self.lessons[lesson.name] = chosen.files or self._read(chosen.reading, lesson)
        # a notebook in the lecture's manner, or the file of the run's only lesson, may have any name if it is alone
        is_alone = len(self.readings) == 1 and (chosen.fit is None or len(self._wanted) == 1)
        if others and chosen.written >= 0 and not (chosen.hint == 1 and all(each.hint == -1 for each in others)):
            files = [each.file.shown for each in others]
            several = f"Several different files may be {lesson.name}"
            others_shown = listed_as_code(files, MAX_FILES_NAMED)
            reason = f"{several}: `{shown}` is graded, not {others_shown}. A lesson is one file."
            self._remark("guess", f"{reason} The instructor decides in intake.csv.")
            self.questions.append(intake_question(self._student, [shown, *files], reason, lesson.name))
        elif chosen.files is None and not self.lessons[lesson.name].nothing and not is_alone:
            defines = chosen.fit and f"it defines {len(chosen.fit.functions)} of its {len(lesson.functions)} functions"
            self._remark("recognised", f"`{shown}` is read as {lesson.name}: {defines or 'it assigns its gradients'}.")

    def _read(self, reading: FileReading, lesson: Lesson) -> LessonFiles:
        return reading.as_lesson(lesson, self.place(reading, lesson))

    def place(self, reading: FileReading, lesson: Lesson) -> int:
        """3 to 5 for a file in the lesson's folder, 2 for one with its name, 1 for backward.py of the only lesson."""
        file = reading.file
        if named := naming(file.folder.rpartition("/")[2], lesson):
            return 2 + named if self._mains[file.folder] is reading else 0
        if naming(stem_of(file.path), lesson) == 3:
            return 2
        is_main = file.path.name.lower() == BACKWARD_FILE and [each.name for each in self._wanted] == [lesson.name]
        return int(is_main and reading in self._unnamed)

    @cached_property
    def _unnamed(self) -> frozenset[FileReading]:
        """Files that may be the only lesson's: those whose path mentions it; if none does, those that mention none."""
        named = [each for each in self.readings if self._wanted[0].name in each.hints]
        return frozenset(named or [each for each in self.readings if not each.hints])

    @cached_property
    def _mains(self) -> dict[str, FileReading | None]:
        """{folder: its backward.py, else its only notebook}."""
        found, by_folder = dict[str, FileReading | None](), dict[str, list[FileReading]]()
        for each in self.readings:
            by_folder.setdefault(each.file.folder, []).append(each)
        for folder, inside in by_folder.items():
            exact = [each for each in inside if each.file.path.name == BACKWARD_FILE]
            named = exact or [each for each in inside if each.file.path.name.lower() == BACKWARD_FILE]
            possible = named or [each for each in inside if each.file.is_notebook]
            found[folder] = possible[0] if len(possible) == 1 else None
        return found

    def _only_one(self, lesson: Lesson) -> list[Candidate]:
        """The only file of a run for one lesson, whatever is in it, unless it is another lesson's."""
        only = self.readings if len(self.readings) == len(self._wanted) == 1 else []
        only = [each for each in only if not each.hints and not (each in self.searched and each.fitting.fits)]
        return [Candidate(each, files=self._read(each, lesson)) for each in only]

    def _placed(self, reading: FileReading, lesson: Lesson) -> Candidate:
        """A file in the lesson's place.

        Its place counts unless it has none of the lesson's functions, is the untouched stub, or is another lesson's.
        One that may not be graded is an attempt.
        """
        place, read = self.place(reading, lesson), self._read(reading, lesson)
        if read.origin is not None or not read.present:
            is_attempt = read.present or read.rejected
        else:
            defined = reading.file.outline.functions.keys()
            own = len(defined & set(lesson.functions))
            others = max(len(defined & set(other.functions)) for other in self._course)
            is_attempt = own > 0 and (place > 2 or others <= own) and not reading.is_pristine(lesson)
        return Candidate(reading, place if is_attempt else 0, written=0 if is_attempt else place - 6, files=read)

    @cached_property
    def searched(self) -> list[FileReading]:
        """The files that can be read, without those that the course gives out next to a stub."""
        given = frozenset[bytes]().union(*map(given_texts, self._course))
        found, left = list[FileReading](), MAX_SEARCHED_BYTES
        for reading in self.readings[:MAX_SEARCHED_FILES]:
            with suppress(Unreadable):
                left -= 0 if reading.file.is_notebook else len(reading.file.source)
                found += [reading] if left >= 0 and reading.file.normal not in given else []
        return found

    def _by_contents(self, reading: FileReading, lesson: Lesson, placed: Candidate | None) -> Candidate | None:
        """The file as a candidate by its functions or gradients; as what it is by its place where it has none."""
        if reading not in self.searched:
            return placed
        fitting = reading.fitting
        is_elsewhere = bool(reading.hints) or any(says_lesson(part, self._course) for part in reading.file.parts[:-1])
        hint = 1 if lesson.name in reading.hints else -1 if is_elsewhere else 0
        fit, files = fitting.fits.get(lesson.name), placed.files if placed else None
        is_small = fit is not None and fit.share < MIN_SHARE_OF_FUNCTIONS
        # a name that mentions lessons of which it has no function is hardly theirs: `ann_07.py`
        if is_small and hint < 0 and not (reading.hints and reading.hints.isdisjoint(fitting.fits)):
            return placed
        # the lecture's notebook has a `cmp`, as lesson 06 does
        if fit is not None and lesson.name in fitting.lessons and not (is_small and hint < 1 and reading.chains):
            return Candidate(reading, 0, hint, 0 if reading.is_pristine(lesson) else fit.written, fit, files)
        if (chain := reading.chains.get(lesson.name)) and chain.origin:
            return Candidate(reading, 0, hint, max(1, len(chain.origin.rows)), None, files)
        return placed

    def _explain_the_rest(self) -> None:
        """Where no lesson is found: remarks about files of other lessons, a question about those of no lesson."""
        others = [each for each in self._course if each not in self._wanted]
        for reading in self.searched:
            found = reading.fitting.lessons
            names = [each.name for each in others if each.name in found and not self.place(reading, each)]
            if names and len(self.remarks) < MAX_FILES_NAMED:
                self._remark(
                    "unread", f"`{reading.file.shown}` is {' and '.join(names)}, which this run does not grade."
                )
        unknown = [each.file.shown for each in self.searched if not each.fitting.fits and not each.chains]
        if unknown:
            self.questions.append(intake_question(self._student, unknown, "It defines no function of a lesson."))


@lru_cache(maxsize=256)
def given_texts(lesson: Lesson) -> frozenset[bytes]:
    """The files that the course gives out next to a lesson's stub, without layout."""
    paths = (path for path in lesson.exercise.glob("*.py") if path.name != BACKWARD_FILE)
    return frozenset(without_layout(readable_text(path)) for path in paths)
