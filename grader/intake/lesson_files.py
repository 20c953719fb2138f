"""What a student submitted for one lesson: the files to be graded, and the way from their lines to the student's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.lesson.paths import BACKWARD_FILE
from grader.results import Row
from grader.source.syntax import WrittenNumber

LINE_REFERENCE = re.compile(r"\bLine (\d+)(?= (?:calls|fails|uses|does it)\b)")


@dataclass(frozen=True)
class Origin:
    """Where the graded file comes from, when a student submitted another kind of file.

    Attributes:
        lines: {line of the graded file: (the student's file as it is shown, line there)}.
        texts: {the student's file as it is shown: its text}, to quote from.
        missing: {row: why there is nothing to grade}.
        rows: {row: (file, line)}, for rows of one function: where each gradient is assigned.
        sizes: {size: its value}, as a notebook in the lecture's manner sets them. None for functions, which work at
            any size.
        numbers: {row: the numbers in the text of its statements}.
        remarks: {row: a sentence that its message ends with}: which variable it is read from, and why.
        uncounted: rows that a notebook in the lecture's style cannot contain: an assignment may leave them out.
    """

    lines: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    sizes: Mapping[str, int] | None = None
    numbers: Mapping[str, Sequence[WrittenNumber]] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    uncounted: Sequence[str] = ()

    @property
    def fingerprint(self) -> bytes:
        """Of all that a result says and the graded file does not hold."""
        parts = self.lines, self.texts, self.missing, self.rows, self.sizes or {}, self.numbers, self.remarks
        return repr([*(sorted(part.items()) for part in parts), sorted(self.uncounted)]).encode(
            "utf-8", "surrogatepass"
        )

    def place(self, line: int | None) -> tuple[str, int] | None:
        return self.lines.get(line) if line is not None else None

    def in_words(self, line: int | None, otherwise: str) -> str:
        """ "that.ipynb, cell 12, line 3", for a message."""
        place = self.place(line)
        return f"{place[0]}, line {place[1]}" if place else otherwise

    def translate(self, message: str) -> str:
        """A message with the lines that the student knows."""

        def own(match: re.Match[str]) -> str:
            place = self.place(int(match[1]))
            return f"Line {place[1]} of {place[0]}" if place else match[0]

        return LINE_REFERENCE.sub(own, message)

    def explain(self, row: Row) -> None:
        """Gives the row the student's own file and line, or the reason why there is none."""
        if row.name in self.uncounted:
            row.status, row.points, row.outside_notebook = "missing", 0, True
        if row.status in ("missing", "todo") and row.name in self.missing:
            row.status, row.message = "missing", self.missing[row.name]
        elif row.message:
            row.message = self.translate(row.message)
        if row.mistake:
            row.mistake = row.mistake._replace(message=self.translate(row.mistake.message))
        if row.name in self.remarks:
            remark = self.remarks[row.name]
            row.message = f"{row.message} {remark}" if row.message else remark
        assigned = self.rows.get(row.name)
        place = assigned if row.status == "passed" and assigned else self.place(row.line) or assigned
        if place:
            row.file, row.line = place
        else:
            row.line = None


@dataclass(frozen=True)
class LessonFiles:
    """What a student submitted for one lesson.

    Attributes:
        lesson: the lesson's name.
        files: {name: bytes}; the graded file is called BACKWARD_FILE.
        shown: the graded file's path inside the submission, for messages.
        message: why there are no files, or why some are left out.
        rejected: the files may not be graded, for the reason in `message`.
        origin: where the files' lines come from, when they were made from a notebook.
        nothing: the submission has neither the lesson nor anything that may be meant as it.
        answers: the bytes of its answers.toml; `answers_shown` is that file's path inside the submission.
        answers_name: another name, id or address of the student's for which that file was written; "" for the name
            in the results.
    """

    lesson: str
    files: dict[str, bytes] = field(default_factory=dict)
    shown: str = BACKWARD_FILE
    message: str | None = None
    rejected: bool = False
    origin: Origin | None = None
    nothing: bool = False
    answers: bytes | None = None
    answers_shown: str = ""
    answers_name: str = ""

    @property
    def present(self) -> bool:
        return BACKWARD_FILE in self.files

    @property
    def is_chain(self) -> bool:
        """Whether it assigns gradients as the lecture's notebook does, instead of defining the stub's functions."""
        return self.origin is not None and self.origin.sizes is not None

    @property
    def in_place(self) -> LessonFiles:
        """The same, of a Python file that has the lesson's place or name: it is no notebook, whatever it contains."""
        return self if self.origin is None else replace(self, origin=replace(self.origin, uncounted=[]))
