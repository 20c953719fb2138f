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

from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.file_kinds import Unreadable, stem_of
from grader.intake.submissions.fitting import (
    MIN_SHARE_OF_FUNCTIONS,
    Fit,
    Fitting,
    fitting_lessons,
    hinted_by,
    lesson_text,
    naming,
    readable_text,
    says_lesson,
)
from grader.intake.submissions.gathered import Gathered, GatheredFile, without_layout
from grader.intake.submissions.intake_csv import IntakeLine, file_cell, intake_question
from grader.intake.submissions.lesson_files import LessonFiles, imported_files
from grader.intake.submissions.lesson_reading import read_page
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import IntakeRemark

MAX_FILES_NAMED = 5
MAX_SEARCHED_FILES = 100
MAX_SEARCHED_BYTES = 4 << 20
"""Of the files that are searched for functions; a notebook counts without its pictures only after it is read."""


MAY_HAVE_GRADIENTS = re.compile(rb"^[ \t]*\(?d[^\n=]*=|grad|cmp|allclose", re.MULTILINE)
"""Every script in the lecture's manner assigns a name that begins with d, or compares a gradient."""
ASSIGNED_GRADIENT = re.compile(rb"^[ \t]*(d\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
"""A name that begins with d and is assigned, also in a function."""
BEST_PLACE = 5
MIN_OF_THE_CHAIN = 3
"""Gradients of the lecture's chain whose assignment makes a Python file a script, which is never imported."""


@dataclass(frozen=True)
class Candidate:
    """A file that may be a lesson's.

    Attributes:
        place: how exactly its place is the lesson's, as `LessonFinder.place` says; 0 for a file found by its contents.
        hint: 1 if its path mentions the lesson, -1 if it mentions another one, else 0.
        written: how many of the lesson's functions or gradients it has that are not the stub's; below 0 for a file
            in the lesson's place that has none of them, the better its place the higher.
        fit: of its functions; None for a notebook or script in the lecture's manner.
        read: as the lesson's files, where that is known.
    """

    file: GatheredFile
    place: int = 0
    hint: int = 0
    written: int = 0
    fit: Fit | None = None
    read: LessonFiles | None = None

    @property
    def score(self) -> tuple[int, ...]:
        """The likeliest file has the highest: the exact place counts most."""
        is_main, depth = self.file.path.name.lower() == BACKWARD_FILE, len(self.file.parts)
        return self.place, -depth if self.place else 0, self.hint, self.written, is_main, -depth


class LessonFinder:
    """The files of one submission, and the lessons that they are for.

    Attributes:
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
        """`wanted` are the lessons of this run, `course` all lessons: a file may be for one that does not count.

        `decided` is {lesson: file} as the instructor decided in intake.csv for the `student`, "" for no file.
        """
        self.gathered, self._wanted, self._course, self._decided = gathered, wanted, course, decided
        self._student = student
        self.lessons: dict[str, LessonFiles] = {}
        self.remarks: list[IntakeRemark] = []
        self.questions: list[IntakeLine] = []
        self._fittings: dict[str, Fitting] = {}
        self._pages: dict[str, dict[str, LessonFiles]] = {}

    def find(self) -> None:
        for lesson in self._wanted:
            decision = self._decided.get(lesson.name)
            if decision is None or not self._apply(lesson, decision):
                self._assign(lesson)
        if not any(each.present or each.rejected for each in self.lessons.values()):
            self._explain_the_rest()
        for name, why in self.gathered.refused.items():
            self._remark("unread", f"{name}: {why}")

    def _remark(self, kind: str, sentence: str) -> None:
        self.remarks.append(IntakeRemark(kind, sentence))

    def _apply(self, lesson: Lesson, decision: str) -> bool:
        """The instructor decided that this file is the lesson's, or none where it is ""; False without such a file."""
        names = {name: file for file in self.gathered.files for name in (file.shown, file_cell(file.shown))}
        file = names.get(decision) or names.get(f"./{decision}")
        if decision and file is None:
            sentence = f"intake.csv says that `{decision}` is {lesson.name}, and the submission has no such file."
            self._remark("no_file", sentence)
            return False
        message = "The instructor decided that no file of the submission is this lesson."
        none = LessonFiles(lesson.name, message=message)
        self.lessons[lesson.name] = none if file is None else self._read(file, lesson)
        shown = f"`{decision}`" if decision else "No file"
        self._remark("decided", f"{shown} is read as {lesson.name}: the instructor decided so.")
        return True

    def _assign(self, lesson: Lesson) -> None:
        """The likeliest file as the lesson's. An untouched stub competes with other stubs only.

        Other files are searched for functions and gradients only where none is in the lesson's place.
        """
        files = self.gathered.files
        placed = {file.shown: each for file in files if (each := self._placed(file, lesson))}
        found = [each for each in placed.values() if each.place]
        found = found or [each for file in files if (each := self._by_contents(file, lesson, placed.get(file.shown)))]
        found.sort(key=lambda each: each.score, reverse=True)
        if found and found[0].place:
            best = found[0].score[:2]
            self._decide(lesson, [each for each in found if each.score[:2] == best])
        elif found:
            most = max(each.written for each in found)
            self._decide(lesson, [each for each in found if min(each.written, 1) == min(most, 1)])

    def _decide(self, lesson: Lesson, candidates: Sequence[Candidate]) -> None:
        """The first candidate is the lesson's file; different others are a question."""
        by_text = dict[bytes, Candidate]()
        for each in candidates:
            by_text.setdefault(each.file.normal, each)
        chosen, *others = by_text.values()
        shown = chosen.file.shown
        self.lessons[lesson.name] = chosen.read or self._read(chosen.file, lesson, chosen.fit)
        # a notebook in the lecture's manner is where it should be if it is all that was submitted
        is_the_page = chosen.fit is None and len(self.gathered.files) == 1
        if others and chosen.written >= 0 and not (chosen.hint == 1 and all(each.hint == -1 for each in others)):
            files = [each.file.shown for each in others]
            listed = ", ".join(f"`{name}`" for name in files[:MAX_FILES_NAMED])
            several = f"Several different files may be {lesson.name}"
            reason = f"{several}: `{shown}` is graded, not {listed}. A lesson is one file."
            self._remark("guess", f"{reason} The instructor decides in intake.csv.")
            self.questions.append(intake_question(self._student, [shown, *files], reason, lesson.name))
        elif chosen.read is None and not self.lessons[lesson.name].nothing and not is_the_page:
            defines = chosen.fit and f"it defines {len(chosen.fit.functions)} of its {len(lesson.functions)} functions"
            self._remark("recognised", f"`{shown}` is read as {lesson.name}: {defines or 'it assigns its gradients'}.")

    def _read(self, file: GatheredFile, lesson: Lesson, fit: Fit | None = None) -> LessonFiles:
        """The file as the lesson's: a notebook, a script in the lecture's manner, or the stub's functions."""
        place = self.place(file, lesson)
        in_place = place > 1 or lesson.name in self._hints(file) or file.path.name == BACKWARD_FILE
        try:
            if file.is_notebook:
                return self.pages(file)[lesson.name]
            found = self._read_python(file, lesson, fit, place == 1 and file.path.name != BACKWARD_FILE)
        except NotebookError as error:
            return LessonFiles(lesson.name, message=f"{file.shown} cannot be read: {error}", rejected=True)
        except Unreadable as error:
            return LessonFiles(lesson.name, message=str(error), rejected=True)
        return found.in_place if in_place else found

    def _read_python(self, file: GatheredFile, lesson: Lesson, fit: Fit | None, is_only: bool) -> LessonFiles:
        """A Python file as the lesson's, with what it imports from the files next to it.

        A file that Python cannot parse as a whole counts with the functions that it can parse. Of a file that `is_only`
        what was submitted for the only lesson of the run, only what the lesson needs counts.
        """
        source, outline = file.source, file.outline
        nearby, left_out = ({}, None) if file.is_alone else imported_files(file.path, source)
        if fit is not None and len(self.fitting(file).lessons) > 1:
            source = lesson_text(source, outline, fit)
        module = LessonFiles(lesson.name, {BACKWARD_FILE: source, **nearby}, file.shown, left_out)
        # reading on would load torch, for the lesson's sizes
        has_functions = not outline.functions.keys().isdisjoint(lesson.functions)
        is_script = lesson.notebook is not None and not has_functions and MAY_HAVE_GRADIENTS.search(source) is not None
        is_page = is_script or (is_only and not nearby)
        if outline.parsed and not is_page:
            return module
        try:
            page = self.pages(file)[lesson.name]
        except NotebookError:
            return module
        if not is_page:
            return replace(page, files={**module.files, **page.files}, message=left_out) if page.present else module
        if page.present:
            return page
        assigned = {name.decode() for name in ASSIGNED_GRADIENT.findall(source)}
        of_the_chain = assigned.intersection(notebook_lesson(lesson).chain.names)
        return page if not has_functions and len(of_the_chain) >= MIN_OF_THE_CHAIN else module

    def place(self, file: GatheredFile, lesson: Lesson) -> int:
        """3 to 5 for a file in the lesson's folder, 2 for one with its name, 1 for the only one of the only lesson."""
        if named := naming(file.folder.rpartition("/")[2], lesson):
            return 2 + named if self._mains[file.folder] is file else 0
        return 2 if naming(stem_of(file.path), lesson) == 3 else int(file is self._only_one)

    @cached_property
    def _mains(self) -> dict[str, GatheredFile | None]:
        """{folder: its backward.py, else its only notebook}."""
        by_folder: dict[str, list[GatheredFile]] = {}
        for file in self.gathered.files:
            by_folder.setdefault(file.folder, []).append(file)
        found = dict[str, GatheredFile | None]()
        for folder, files in by_folder.items():
            exact = [file for file in files if file.path.name == BACKWARD_FILE]
            named = exact or [file for file in files if file.path.name.lower() == BACKWARD_FILE]
            possible = named or [file for file in files if file.is_notebook]
            found[folder] = possible[0] if len(possible) == 1 else None
        return found

    @cached_property
    def _only_one(self) -> GatheredFile | None:
        """Of a run for one lesson that has no folder: the main or only file of the first folder of no other lesson."""
        course, lesson = self._course, self._wanted[0]
        if len(self._wanted) > 1 or any(naming(folder.rpartition("/")[2], lesson) for folder in self._mains):
            return None
        for folder, main in self._mains.items():
            if all(
                lesson.name in hinted_by(part, course) or not says_lesson(part, course) for part in folder.split("/")
            ):
                inside = [file for file in self.gathered.files if file.folder == folder]
                return main or (inside[0] if len(inside) == 1 else None)
        return None

    def _placed(self, file: GatheredFile, lesson: Lesson) -> Candidate | None:
        """The candidate that a file in the lesson's place is; None for one in no place of the lesson.

        Its place counts unless it has none of the lesson's functions, is the untouched stub, or is another lesson's.
        One that may not be graded is an attempt.
        """
        if not (place := self.place(file, lesson)):
            return None
        read = self._read(file, lesson)
        if read.origin is not None or not read.present:
            is_attempt = read.present or read.rejected
        else:
            defined = file.outline.functions.keys()
            own = len(defined & set(lesson.functions))
            others = max(len(defined & set(other.functions)) for other in self._course)
            is_attempt = own > 0 and (place > 2 or others <= own) and not is_pristine(file, lesson)
        return Candidate(file, place if is_attempt else 0, 0, place - BEST_PLACE - 1, None, read)

    @cached_property
    def searched(self) -> list[GatheredFile]:
        """The files that can be read, without those that the course gives out next to a stub."""
        given = frozenset[bytes]().union(*map(given_texts, self._course))
        found, left = list[GatheredFile](), MAX_SEARCHED_BYTES
        for file in self.gathered.files[:MAX_SEARCHED_FILES]:
            with suppress(Unreadable):
                left -= 0 if file.is_notebook else len(file.source)
                found += [file] if left >= 0 and file.normal not in given else []
        return found

    def fitting(self, file: GatheredFile) -> Fitting:
        """The lessons that the file is for, by its functions."""
        if file.shown not in self._fittings:
            wanted = [lesson.name for lesson in self._wanted]
            self._fittings[file.shown] = fitting_lessons(file.outline, self._course, self._hints(file), wanted)
        return self._fittings[file.shown]

    def _hints(self, file: GatheredFile) -> set[str]:
        """The lessons that its path mentions: the innermost name that mentions any decides."""
        parts = (self.gathered.archive, *file.parts)
        return next((found for part in reversed(parts) if (found := hinted_by(part, self._course))), set())

    def _by_contents(self, file: GatheredFile, lesson: Lesson, placed: Candidate | None) -> Candidate | None:
        """The file as a candidate by its functions or gradients; as what it is by its place where it has none."""
        if file not in self.searched:
            return placed
        hinted, fitting = self._hints(file), self.fitting(file)
        is_elsewhere = bool(hinted) or any(says_lesson(part, self._course) for part in file.parts[:-1])
        hint = 1 if lesson.name in hinted else -1 if is_elsewhere else 0
        fit, read = fitting.fits.get(lesson.name), placed.read if placed else None
        is_small = fit is not None and fit.share < MIN_SHARE_OF_FUNCTIONS
        if is_small and hint < 0:
            return placed
        # the lecture's notebook has a `cmp`, as lesson 06 does
        if fit is not None and lesson.name in fitting.lessons and not (is_small and hint < 1 and self.chains(file)):
            return Candidate(file, 0, hint, 0 if is_pristine(file, lesson) else fit.written, fit, read)
        if (chain := self.chains(file).get(lesson.name)) and chain.origin:
            return Candidate(file, 0, hint, max(1, len(chain.origin.rows)), None, read)
        return placed

    def pages(self, file: GatheredFile) -> dict[str, LessonFiles]:
        """What a notebook or script has of each lesson that it may be for. Raises NotebookError, Unreadable."""
        if file.shown not in self._pages:
            fits = self.fitting(file).fits
            sure = fits.keys() | self._decided.keys()
            may_be = [each for each in self._wanted if each.notebook or each.name in sure or self.place(file, each)]
            self._pages[file.shown] = read_page(file.source, file.shown, may_be, file.is_notebook, fits)
        return self._pages[file.shown]

    def chains(self, file: GatheredFile) -> dict[str, LessonFiles]:
        """The lessons whose gradients it assigns, as the lecture's notebook does."""
        gradients = {item.name for lesson in self._wanted if lesson.notebook for item in lesson.gradients}
        with suppress(NotebookError, Unreadable):
            defined, assigned = gradients & file.outline.functions.keys(), gradients & file.outline.assigned
            may_be_page = file.is_notebook or MAY_HAVE_GRADIENTS.search(file.source)
            if may_be_page and len(defined) < max(1, len(assigned)):
                found = self.pages(file).items()
                return {name: each for name, each in found if each.present and each.is_chain}
        return {}

    def _explain_the_rest(self) -> None:
        """Where no lesson is found: remarks about files of other lessons, a question about those of no lesson."""
        others = [each for each in self._course if each not in self._wanted]
        for file in self.searched:
            found = self.fitting(file).lessons
            names = [each.name for each in others if each.name in found and not self.place(file, each)]
            if names and len(self.remarks) < MAX_FILES_NAMED:
                self._remark("unread", f"`{file.shown}` is {' and '.join(names)}, which this run does not grade.")
        unknown = [each.shown for each in self.searched if not self.fitting(each).fits and not self.chains(each)]
        if unknown:
            self.questions.append(intake_question(self._student, unknown, "It defines no function of a lesson."))


@lru_cache(maxsize=256)
def given_texts(lesson: Lesson) -> frozenset[bytes]:
    """The files that the course gives out next to a lesson's stub, without layout."""
    paths = (path for path in lesson.exercise.glob("*.py") if path.name != BACKWARD_FILE)
    return frozenset(without_layout(readable_text(path)) for path in paths)


def is_pristine(file: GatheredFile, lesson: Lesson) -> bool:
    return file.normal == without_layout(readable_text(lesson.pristine))
