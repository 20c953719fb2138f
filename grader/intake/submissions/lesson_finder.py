"""Finds the lessons of a submission: scores each file for each lesson, and assigns the best.

A file in its lesson's place scores highest, unless it is the untouched stub or has none of the lesson's functions. Of
several files that may be meant the likeliest is used, and a line of intake.csv asks the instructor. Every file is
outlined, never run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.lesson_reading import MAY_HAVE_GRADIENTS, read_as, read_page
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import IntakeRemark

MAX_FILES_NAMED = 5
MAX_SEARCHED_FILES = 100
MAX_SEARCHED_BYTES = 4 << 20
"""Of the files that are searched for functions; a notebook counts without its pictures only after it is read."""


@dataclass(frozen=True)
class Candidate:
    """A file that may be a lesson's.

    Attributes:
        place: how exactly its place is the lesson's, as `LessonFinder.place` says; 0 for a file found by its contents.
        hint: 1 if its path mentions the lesson, -1 if it mentions another one, else 0.
        written: how many of the lesson's functions or gradients it has that are not the stub's.
        fit: of its functions; None for the lecture's notebook or a script like it.
    """

    file: GatheredFile
    place: int = 0
    hint: int = 0
    written: int = 0
    fit: Fit | None = None

    @property
    def score(self) -> tuple[int, ...]:
        """The likeliest file has the highest."""
        is_main = self.file.path.name.lower() == BACKWARD_FILE
        return self.place, self.hint, self.written, is_main, -len(self.file.parts)


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
        self.lessons[lesson.name] = none if file is None else self._read(Candidate(file), lesson)
        shown = f"`{decision}`" if decision else "No file"
        self._remark("decided", f"{shown} is read as {lesson.name}: the instructor decided so.")
        return True

    def _assign(self, lesson: Lesson) -> None:
        """The likeliest file as the lesson's. The untouched stub in its place competes with files of any place."""
        placed = [Candidate(file, place) for file in self.gathered.files if (place := self.place(file, lesson))]
        placed.sort(key=lambda each: (each.place, -len(each.file.parts)), reverse=True)
        given = self._read(placed[0], lesson) if placed else None
        if given is not None and self._is_attempt(placed[0], given, lesson):
            best = placed[0].place, len(placed[0].file.parts)
            found = [each for each in placed if (each.place, len(each.file.parts)) == best]
        else:
            found = self._candidates(lesson)
        if found:
            self._decide(lesson, found, given if placed and found[0].file is placed[0].file else None)
        elif given is not None:
            self.lessons[lesson.name] = given

    def _decide(self, lesson: Lesson, candidates: Sequence[Candidate], given: LessonFiles | None) -> None:
        """The first candidate is the lesson's file, already read as `given`; different others are a question."""
        by_text = dict[bytes, Candidate]()
        for each in candidates:
            by_text.setdefault(each.file.normal, each)
        chosen, *others = by_text.values()
        shown = chosen.file.shown
        self.lessons[lesson.name] = given or self._read(chosen, lesson)
        # a notebook in the lecture's manner is where it should be if it is all that was submitted
        is_the_page = chosen.fit is None and len(self.gathered.files) == 1
        rivals = () if chosen.hint == 1 and all(each.hint == -1 for each in others) else others
        if rivals:
            files = [each.file.shown for each in rivals]
            listed = ", ".join(f"`{name}`" for name in files[:MAX_FILES_NAMED])
            several = f"Several different files may be {lesson.name}"
            reason = f"{several}: `{shown}` is graded, not {listed}. A lesson is one file."
            self._remark("guess", f"{reason} The instructor decides in intake.csv.")
            self.questions.append(intake_question(self._student, [shown, *files], reason, lesson.name))
        elif given is None and not self.lessons[lesson.name].nothing and not is_the_page:
            defines = chosen.fit and f"it defines {len(chosen.fit.functions)} of its {len(lesson.functions)} functions"
            self._remark("recognised", f"`{shown}` is read as {lesson.name}: {defines or 'it assigns its gradients'}.")

    def _read(self, chosen: Candidate, lesson: Lesson) -> LessonFiles:
        """The candidate as the lesson's files; one with neither a place nor a fit was found by its gradients."""
        file, fit = chosen.file, chosen.fit
        found = self.page(file).get(lesson.name) if fit is None and not chosen.place else None
        if found is None or not found.present:
            is_shared = fit is not None and len(self.fittings[file.shown].lessons) > 1 and not file.is_notebook
            source = lesson_text(file.source, file.outline, fit) if fit is not None and is_shared else None
            found = read_as(file, lesson, source, chosen.place == 1 and file.path.name != BACKWARD_FILE)
        in_place = chosen.place > 1 or lesson.name in self._hints(file) or file.path.name == BACKWARD_FILE
        return found.in_place if in_place and not file.is_notebook else found

    def place(self, file: GatheredFile, lesson: Lesson) -> int:
        """3 to 5 for a file in the lesson's folder, 2 for one with its name, 1 for the only one of the only lesson."""
        if named := naming(file.folder.rpartition("/")[2], lesson):
            return 2 + named if self._mains[file.folder] is file else 0
        if naming(stem_of(file.path), lesson) == 3:
            return 2
        return int(file is self._only_one)

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
        """Of a run for one lesson: the main or only file of the first folder that mentions no other lesson."""
        course, own = self._course, self._wanted[0].name
        for folder, main in self._mains.items() if len(self._wanted) == 1 else ():
            if all(own in hinted_by(each, course) or not says_lesson(each, course) for each in folder.split("/")):
                inside = [file for file in self.gathered.files if file.folder == folder]
                return main or (inside[0] if len(inside) == 1 else None)
        return None

    def _is_attempt(self, candidate: Candidate, given: LessonFiles, lesson: Lesson) -> bool:
        """Whether the file in a lesson's place has functions of it, is no untouched stub, and is no other lesson's.

        One that may not be graded is an attempt.
        """
        if given.origin is not None or not given.present:
            return given.present or given.rejected
        defined = candidate.file.outline.functions.keys()
        own = len(defined & set(lesson.functions))
        others = max(len(defined & set(other.functions)) for other in self._course)
        return own > 0 and (candidate.place > 2 or others <= own) and not is_pristine(candidate.file, lesson)

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

    @cached_property
    def fittings(self) -> dict[str, Fitting]:
        """{file: the lessons that it is for, by its functions}."""
        course, wanted = self._course, [lesson.name for lesson in self._wanted]
        return {file.shown: fitting_lessons(file.outline, course, self._hints(file), wanted) for file in self.searched}

    def _hints(self, file: GatheredFile) -> set[str]:
        """The lessons that its path mentions: the innermost name that mentions any decides."""
        parts = (self.gathered.archive, *file.parts)
        return next((found for part in reversed(parts) if (found := hinted_by(part, self._course))), set())

    def _candidates(self, lesson: Lesson) -> list[Candidate]:
        """The files that may be the lesson's, the likeliest first. An untouched stub does not compete with others."""
        found = [each for file in self.searched if (each := self._candidate(file, lesson))]
        found.sort(key=lambda each: each.score, reverse=True)
        return [each for each in found if each.written] or found

    def _candidate(self, file: GatheredFile, lesson: Lesson) -> Candidate | None:
        hinted, fitting = self._hints(file), self.fittings[file.shown]
        is_elsewhere = bool(hinted) or any(says_lesson(part, self._course) for part in file.parts[:-1])
        hint = 1 if lesson.name in hinted else -1 if is_elsewhere else 0
        fit = fitting.fits.get(lesson.name)
        is_small = fit is not None and fit.share < MIN_SHARE_OF_FUNCTIONS
        if is_small and hint < 0:
            return None
        # the lecture's notebook has a `cmp`, as lesson 06 does
        if fit is not None and lesson.name in fitting.lessons and not (is_small and hint < 1 and self.page(file)):
            return Candidate(file, 0, hint, 0 if is_pristine(file, lesson) else fit.written, fit)
        page = self.page(file).get(lesson.name)
        if page is not None and page.present and page.origin is not None:
            return Candidate(file, 0, hint, max(1, len(page.origin.rows)))
        return None

    def page(self, file: GatheredFile) -> dict[str, LessonFiles]:
        """What a notebook or script in the lecture's manner contains; nothing for any other file."""
        if file.shown not in self._pages:
            found = dict[str, LessonFiles]()
            lessons = [lesson for lesson in self._wanted if lesson.notebook is not None]
            gradients = {item.name for lesson in lessons for item in lesson.gradients}
            with suppress(NotebookError, Unreadable):
                defined, assigned = gradients & file.outline.functions.keys(), gradients & file.outline.assigned
                may_be_page = file.is_notebook or MAY_HAVE_GRADIENTS.search(file.source)
                if may_be_page and len(defined) < max(1, len(assigned)):
                    found = read_page(file.source, file.shown, lessons, False, file.is_notebook)
            self._pages[file.shown] = found if any(each.present for each in found.values()) else {}
        return self._pages[file.shown]

    def _explain_the_rest(self) -> None:
        """Where no lesson is found: remarks about files of other lessons, a question about those of no lesson."""
        others = [each for each in self._course if each not in self._wanted]
        for file in self.searched:
            found = self.fittings[file.shown].lessons
            names = [each.name for each in others if each.name in found and not self.place(file, each)]
            if names and len(self.remarks) < MAX_FILES_NAMED:
                self._remark("unread", f"`{file.shown}` is {' and '.join(names)}, which this run does not grade.")
        unknown = [each.shown for each in self.searched if not self.fittings[each.shown].fits and not self.page(each)]
        if unknown:
            self.questions.append(intake_question(self._student, unknown, "It defines no function of a lesson."))


@lru_cache(maxsize=256)
def given_texts(lesson: Lesson) -> frozenset[bytes]:
    """The files that the course gives out next to a lesson's stub, without layout."""
    paths = (path for path in lesson.exercise.glob("*.py") if path.name != BACKWARD_FILE)
    return frozenset(without_layout(readable_text(path)) for path in paths)


def is_pristine(file: GatheredFile, lesson: Lesson) -> bool:
    return file.normal == without_layout(readable_text(lesson.pristine))
