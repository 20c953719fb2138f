"""The files of a submission that may be a lesson's, the likeliest first, and what is read from each.

Every file is outlined, never run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.file_kinds import is_copy, stem_of
from grader.intake.submissions.fitting import (
    MIN_SHARE_OF_FUNCTIONS,
    Fit,
    Fitting,
    fitting_lessons,
    hints,
    lesson_text,
    readable_text,
)
from grader.intake.submissions.gathered import GatheredFile, with_outlines, without_layout
from grader.intake.submissions.helper_packages import Packages, with_packages
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.lesson_reading import MAY_HAVE_GRADIENTS, read_page_bytes, read_source
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

MAX_HELPERS = 63
NUMBERED_FOLDER = re.compile(r"\d{1,2}(?:[_-]|$)")
"""A folder's name that says a lesson, perhaps of another course."""


@dataclass(frozen=True)
class CandidateFile:
    """A file that may be a lesson's.

    Attributes:
        written: how many of the lesson's functions or gradients it has that are not the stub's.
        why: the end of a sentence that says why it is the lesson's.
        hint: 1 if its path mentions the lesson, -1 if it mentions another one, else 0.
        others: lessons that it may be for as well.
        fit: of its functions; None for the lecture's notebook or a script like it.
        shared: it is for several lessons.
    """

    file: GatheredFile
    written: int
    why: str
    hint: int
    others: tuple[str, ...] = ()
    fit: Fit | None = None
    shared: bool = False

    @property
    def likelihood(self) -> tuple[object, ...]:
        name = PurePosixPath(self.file.shown)
        return (
            self.hint,
            self.written,
            name.name.lower() == BACKWARD_FILE,
            not is_copy(name),
            -len(self.file.parts),
        )


class Recogniser:
    """The files of one submission, and the lessons that they may be for.

    Args:
        files: everything gradable in it.
        lessons: those of this run.
        course: all lessons: a file may be for one that does not count.
        above: names of what contains the files, such as the archive.
    """

    def __init__(
        self, files: Sequence[GatheredFile], lessons: Sequence[Lesson], course: Sequence[Lesson], above: Sequence[str]
    ) -> None:
        self.lessons, self._course = lessons, course
        self.files = with_outlines(files, course)
        self._hints = {file.shown: hints([*above, *file.parts], course) for file in self.files}
        self._fittings = {file.shown: self._fitting(file) for file in self.files}
        self._pages: dict[str, dict[str, LessonFiles]] = {}
        helpers = self._helpers()
        self._mains = [file for file in self.files if file.shown not in helpers and not self._is_course_file(file)]

    def _fitting(self, file: GatheredFile) -> Fitting:
        return fitting_lessons(file.outline, self._course, self._hints[file.shown])

    def _helpers(self) -> set[str]:
        """Files that another file next to them imports, which has functions of the same lesson."""
        found = set()
        for file in self.files:
            own = self._fittings[file.shown].fits
            for other in self.files:
                is_near = other.parts[:-1] == file.parts[:-1] and stem_of(other.path) in file.outline.imports
                if own and is_near and other is not file:
                    found.add(other.shown)
        return found

    def _is_course_file(self, file: GatheredFile) -> bool:
        """Whether the course gives out this very file next to a stub: it is not a student's work."""
        if file.path.name == BACKWARD_FILE:
            return False
        given = (lesson.exercise / file.path.name for lesson in self._course)
        return any(path.is_file() and without_layout(readable_text(path)) == file.normal for path in given)

    def fitting_lessons(self, shown: str) -> tuple[str, ...]:
        return self._fittings[shown].lessons if shown in self._fittings else ()

    def candidates(self, lesson: Lesson) -> list[CandidateFile]:
        """The files that may be the lesson's, the likeliest first. An untouched stub does not compete with others."""
        found = [candidate for file in self._mains if (candidate := self._candidate(file, lesson)) is not None]
        stub = without_layout(readable_text(lesson.pristine))
        found = [each if each.file.normal != stub else replace(each, written=0) for each in found]
        found = [each for each in found if each.written] or found
        found.sort(key=lambda each: each.likelihood, reverse=True)
        return list({each.file.normal: each for each in reversed(found)}.values())[::-1]

    def _candidate(self, file: GatheredFile, lesson: Lesson) -> CandidateFile | None:
        hinted, fitting = self._hints[file.shown], self._fittings[file.shown]
        is_elsewhere = bool(hinted) or any(NUMBERED_FOLDER.match(part) for part in file.parts[:-1])
        hint = 1 if lesson.name in hinted else -1 if is_elsewhere else 0
        others = self._equals(fitting, lesson)
        if hint < 0 and lesson.name in fitting.fits and fitting.fits[lesson.name].share < MIN_SHARE_OF_FUNCTIONS:
            return None
        if (lesson.name in fitting.lessons or others) and not (hint < 1 and self._is_lectures(file, lesson)):
            fit = fitting.fits[lesson.name]
            why = f"it defines {len(fit.functions)} of its {len(lesson.functions)} functions"
            possible = tuple(name for name in others if name != lesson.name)
            if others and others[0] != lesson.name:
                return None
            return CandidateFile(file, fit.written, why, hint, possible, fit, len(fitting.lessons) > 1)
        page = self._page(file).get(lesson.name)
        if page is not None and page.present and page.origin is not None:
            return CandidateFile(file, max(1, len(page.origin.rows)), "it assigns its gradients", hint)
        return None

    def _is_lectures(self, file: GatheredFile, lesson: Lesson) -> bool:
        """Whether a file with few of the lesson's functions is the lecture's notebook: its `cmp` is lesson 06's too."""
        few = self._fittings[file.shown].fits[lesson.name].share < MIN_SHARE_OF_FUNCTIONS
        return few and bool(self._page(file))

    def parts(self, lesson: Lesson, chosen: CandidateFile) -> list[GatheredFile]:
        """The files next to each other that have the lesson's functions together, each other ones; else none.

        Two of them may not define anything else of the same name: nobody could say which definition is meant.
        """
        if chosen.fit is None or chosen.fit.complete or chosen.file.is_notebook:
            return []
        parts, names = [chosen.file], set(chosen.file.outline.functions)
        for file in self._mains:
            fitting, own = self._fittings[file.shown], set(file.outline.functions)
            is_near = file.parts[:-1] == chosen.file.parts[:-1] and not file.is_notebook
            if is_near and lesson.name in fitting.lessons and not names & own:
                parts.append(file)
                names |= own
        return sorted(parts, key=lambda file: file.shown) if len(parts) > 1 else []

    def _equals(self, fitting: Fitting, lesson: Lesson) -> tuple[str, ...]:
        """The lessons of this run between which the file does not decide, the likeliest first; none if it does."""
        here = {each.name for each in self.lessons}
        for names in fitting.unclear:
            if lesson.name in names:
                return tuple(name for name in names if name in here)
        return ()

    def _page(self, file: GatheredFile) -> dict[str, LessonFiles]:
        """What a notebook or script in the lecture's manner contains; nothing for any other file."""
        lessons = [lesson for lesson in self.lessons if lesson.notebook is not None]
        gradients = {item.name for lesson in lessons for item in lesson.gradients}
        as_functions = len(gradients & file.outline.functions.keys())
        if as_functions >= max(1, len(gradients & file.outline.assigned)):
            return {}
        if not file.is_notebook and MAY_HAVE_GRADIENTS.search(file.source) is None:
            return {}
        if file.shown not in self._pages:
            try:
                page = read_page_bytes(file.source, file.shown, lessons, False, file.is_notebook)
                self._pages[file.shown] = page.lessons if any(each.present for each in page.lessons.values()) else {}
            except NotebookError:
                self._pages[file.shown] = {}
        return self._pages[file.shown]

    def read(self, file: GatheredFile, lesson: Lesson, candidate: CandidateFile | None = None) -> LessonFiles:
        """The file as the lesson's, with the Python files next to it if it imports any of them."""
        page = self._page(file).get(lesson.name) if candidate is None or candidate.fit is None else None
        if page is not None and page.present:
            return page.in_place if lesson.name in self._hints[file.shown] and not file.is_notebook else page
        if file.is_notebook:
            try:
                return read_page_bytes(file.source, file.shown, [lesson], True, True).lessons[lesson.name]
            except NotebookError as error:
                return LessonFiles(lesson.name, message=f"{file.shown} cannot be read: {error}", rejected=True)
        source = file.source
        if candidate is not None and candidate.fit is not None and candidate.shared:
            source = lesson_text(source, file.outline, candidate.fit)
        near = {other.path.name: other for other in self.files if other.parts[:-1] == file.parts[:-1]}
        imports = {name for name in near if stem_of(near[name].path) in file.outline.imports and near[name] is not file}
        helpers = [name for name in near if imports and (name in imports or not self._fittings[near[name].shown].fits)]
        files = {
            name: near[name].source
            for name in helpers[:MAX_HELPERS]
            if name != BACKWARD_FILE and near[name] is not file
        }
        files = with_packages({**files, BACKWARD_FILE: source}, self._packages_near(file))
        return read_source(lesson, files, file.shown)

    def _packages_near(self, file: GatheredFile) -> Packages:
        """The folders next to a file."""
        start = len(file.parts) - 1
        packages: dict[str, dict[str, bytes]] = {}
        for other in self.files:
            if other.parts[:start] == file.parts[:start] and len(other.parts) > start + 1 and not other.is_notebook:
                packages.setdefault(other.parts[start], {})["/".join(other.parts[start:])] = other.source
        return {name: lambda found=found: found for name, found in packages.items()}  # type: ignore[misc]

    def unread(self) -> list[str]:
        """The files of which nobody can say which lesson they are for."""
        return [file.shown for file in self.files if not self._fittings[file.shown].fits and not self._page(file)]
