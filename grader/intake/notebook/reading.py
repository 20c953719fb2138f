"""The lecture's notebook, or a script like it, as the file of a lesson: each gradient's statements as a function.

It is read for all lessons at once, in the process that has limits of time and memory, and in stages: its statements
with blocks and calls opened in place (script.py), what each name depends on (slices.py), which variable is which
gradient (names.py), which of several answers counts (answers.py), and the sizes that the notebook sets (sizes.py). What
is left is written as a file, with the origin of each line (as_file.py).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from grader.intake.lesson_files import LessonFiles, Origin
from grader.intake.notebook.answers import Chooser, GradientAnswer, is_from_autograd, is_placeholder
from grader.intake.notebook.as_file import FileWriter, function, top_imports, unwritten_function, with_functions
from grader.intake.notebook.cells import NotebookError, cells_of, script_cells
from grader.intake.notebook.names import KnownNames
from grader.intake.notebook.script import NotebookScript, Page, script_of
from grader.intake.notebook.sizes import sizes_at
from grader.intake.notebook.slices import Slice, Uses
from grader.intake.notebook.written_numbers import written_numbers
from grader.lesson.notebook_table import NotebookLesson, NotebookTable
from grader.lesson.paths import BACKWARD_FILE
from grader.source.own_functions import first_nested
from grader.source.parsing import PARSE_ERRORS
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.source.similar_names import close_names
from grader.source.syntax import WrittenNumber
from grader.typed_json import from_json

MAX_WRITTEN_CHARACTERS = 300_000  # characters: what the static check reads


def read_notebook_limited(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> dict[str, LessonFiles]:
    """{lesson: what a notebook or script has of it}; `shown` is the file's name in messages.

    `definitions`, for each lesson by its name, as in `read_lesson_part`. Raises NotebookError where nothing of
    it can be read.
    """
    try:
        answer = source_reader().call(read_notebook, data, shown, is_notebook, lessons, definitions)
    except ReadingStopped as reason:
        raise NotebookError(f"{reason}. Submit the exercise's cells only.") from reason
    except ReadingFailed as reason:
        why = f"the grader has an error that shows in this file ({reason}). Tell your instructor."
        raise NotebookError(why) from reason
    if isinstance(answer, str):
        raise NotebookError(answer)
    found: dict[str, LessonFiles] = from_json(dict[str, LessonFiles], answer)
    return found


def read_notebook(
    data: bytes,
    shown: str,
    is_notebook: bool,
    lessons: Sequence[NotebookLesson],
    definitions: Mapping[str, Mapping[str, int]] = {},
) -> dict[str, LessonFiles] | str:
    """As `read_notebook_limited`, without limits; why nothing of it can be read, in place of an error."""
    try:
        page = Page(cells_of(data, shown) if is_notebook else script_cells(data, shown))
    except NotebookError as error:
        return str(error)
    found: dict[str, LessonFiles] = {}
    for lesson in lessons:
        try:
            found[lesson.name] = read_lesson_part(lesson, page, shown, definitions.get(lesson.name, {}))
        except NotebookError as error:
            found[lesson.name] = LessonFiles(lesson.name, message=f"{shown} cannot be read: {error}", rejected=True)
    return found


def read_lesson_part(
    lesson: NotebookLesson, page: Page, shown: str, definitions: Mapping[str, int] = {}
) -> LessonFiles:
    """What the cells contain for the lesson; `shown` is the name of the whole in messages. Raises NotebookError.

    Where they define more of the stub's functions than they assign gradients, the functions count. `definitions` says
    which of the definitions of a function is the lesson's, counted from 0 in the order of the cells; of other functions
    it is the last one.
    """
    table = lesson.table
    nothing = f"{shown} holds nothing for this lesson"
    chain = lesson.chain
    names = {*chain.names, *(table.names if table else ())}
    gradients = names | {claim.variable for claim in page.claims}
    values = {name for each in (chain, table) if each for name in (*each.values, *each.forward)}
    script = script_of(page, gradients, values - gradients)
    own_functions = [name for name in lesson.functions if name in script.functions]
    assigned = {name for s in script.statements if s.computes for name in s.names.binds | s.names.changes} & gradients
    if len(own_functions) > len(assigned):
        file, origin = with_functions(lesson, script, own_functions, definitions)
        return LessonFiles(lesson.name, {BACKWARD_FILE: file}, shown, origin=origin)
    if table is None:
        what = first_nested((cell.text for cell in page.cells), lesson.functions) or "none of its functions."
        origin = Origin(texts=script.texts)
        return LessonFiles(lesson.name, {}, shown, f"{nothing}: it defines {what}", origin=origin, nothing=True)
    uses = Uses(script.statements, gradients)
    return LessonWriter(lesson, table, KnownNames(lesson, table, page, uses), script, shown, uses).reading()


class LessonWriter:
    """Writes the file of one lesson, and says of each row that is not in it why it is missing."""

    def __init__(
        self,
        lesson: NotebookLesson,
        table: NotebookTable,
        names: KnownNames,
        script: NotebookScript,
        shown: str,
        uses: Uses,
    ) -> None:
        self.lesson, self.names, self.script, self.shown = lesson, names, script, shown
        self.table, self.uses = names.added_to(table), uses
        self.chooser = Chooser(uses, self.table, names.added_to(lesson.stepwise or lesson.chain))
        self.pieces: list[FileWriter] = []
        self.parts: list[Slice] = []
        self.places: list[int] = []  # where each gradient that was written begins
        self.numbers: dict[str, list[WrittenNumber]] = {}
        self.missing: dict[str, str] = {}
        self.remarks: dict[str, str] = {}
        self.rows: dict[str, tuple[str, int]] = {}
        self.attempted = False

    def reading(self) -> LessonFiles:
        table, script = self.table, self.script
        if not table.loop:
            for name in self.lesson.gradients:
                if name in table.names:
                    self.step(name)
        else:
            self.joint()
        cannot = [row for row, needed in self.lesson.rows.items() if needed not in (*table.names, self.lesson.joint)]
        reasons = list(dict.fromkeys(self.missing.values()))
        held = [row for row in self.missing if row in script.elsewhere]
        for row in cannot:
            self.missing[row] = (
                "The lecture's notebook has no such row. For its points, submit a backward.py that has "
                f"`{self.lesson.rows[row]}`."
            )
        if not self.pieces:
            names = ", ".join(table.names[:3]) + (", ..." if len(table.names) > 3 else "")
            message = f"{self.shown} holds nothing for this lesson: {names} not assigned in its place."
            message = reasons[0] if len(reasons) == 1 else self.missing[held[0]] if held else message
            origin = Origin(texts=script.texts, missing=self.missing, uncounted=cannot)
            return LessonFiles(self.lesson.name, {}, self.shown, message, origin=origin, nothing=not self.attempted)
        file = FileWriter()
        for line in top_imports(self.parts):
            file.add(line)
        for piece in self.pieces:
            file.add("")
            file.extend(piece)
        origin = Origin(
            lines=file.places,
            texts=script.texts,
            missing=self.missing,
            rows=self.rows,
            sizes=sizes_at(self.uses, table, self.places[0]) if self.places else dict(table.sizes),
            numbers=self.numbers,
            remarks=self.remarks,
            uncounted=cannot,
        )
        return LessonFiles(self.lesson.name, {BACKWARD_FILE: file.source}, self.shown, origin=origin)

    def step(self, name: str) -> None:
        """One gradient as a function of its own, or the reason why it is missing."""
        answer = self.chooser.choose(name)
        if answer is None:
            self.missing[name] = self.absent(name)
            return
        self.attempted = True
        self.remark(name, answer)
        own = [self.script.statements[i] for i in answer.places]
        if answer.part is not None and is_from_autograd(own):
            text, place = ast.unparse(own[0].node), f"{own[0].file}, line {own[0].line}"
            self.missing[name] = f"`{text}` in {place} is autograd's gradient. Write your own formula."
        elif answer.part is not None and is_placeholder(own):
            self.pieces.append(unwritten_function(name, "", own[0]))
        else:
            self.write(name, [name], answer, answer.places, answer.variable)

    def joint(self) -> None:
        """The loop's body as the lesson's one function, which returns what the loop has of the gradients."""
        table, statements = self.table, self.script.statements
        assert self.lesson.joint is not None
        rows = [name for name, function in self.lesson.rows.items() if function == self.lesson.joint]
        chosen = self.chooser.choose_loop()
        if chosen is None:
            expected = ", ".join(name for name in table.names if name.startswith("d"))
            message = f"{self.shown} has no training loop that assigns {expected}."
            inside = [name for name in table.names if name[:1] == "d" and name in self.script.elsewhere]
            message = f"{message[:-1]}: {self.script.elsewhere[inside[0]]} is not read." if inside else message
            self.missing |= dict.fromkeys(rows, message)
            return
        targets, whole = chosen
        self.attempted = True
        again = {name: text for name, run in targets.items() if (text := self.set_to_none_again(run))}
        self.missing |= again
        targets = {name: run for name, run in targets.items() if name not in again}
        rows = [name for name in rows if name not in again]
        own = sorted(i for run in targets.values() for i in run.places)
        if is_placeholder([statements[i] for i in own if "loss" not in statements[i].names.binds]):
            self.pieces.append(unwritten_function(self.lesson.joint, table.loop, statements[own[0]]))
            return
        for name in rows:
            if name in targets:
                self.remark(name, targets[name])
            else:
                self.missing[name] = f"The training loop in {statements[own[0]].file} assigns no `{name}`."
        firsts = {name: statements[run.places[0]] for name, run in targets.items()}
        self.rows = {name: (first.file, first.line) for name, first in firsts.items()}
        result = "{" + ", ".join(f"{name!r}: {run.variable}" for name, run in targets.items()) + "}"
        self.write(self.lesson.joint, rows, whole, own, result)

    def remark(self, row: str, answer: GradientAnswer) -> None:
        if answer.variable in self.names.remarks:
            self.remarks[row] = self.names.remarks[answer.variable]

    def set_to_none_again(self, run: GradientAnswer) -> str:
        """A sentence where a template's `dC, dW1 = [None] * 2` follows the formula; "" for every other run."""
        formula, *later = self.script.statements[run.places[-1] :]
        again = next((each for each in later if run.variable in each.names.binds), None)
        if again is None or is_placeholder([formula]) or not is_placeholder([again]) or is_from_autograd([again]):
            return ""
        place = f"{formula.file}, line {formula.line}"
        return f"`{run.variable}` is computed in {place}, and line {again.line} sets it to None again."

    def write(self, name: str, rows: Sequence[str], answer: GradientAnswer, places: Sequence[int], result: str) -> None:
        """One function, or the reason why its rows are missing; `places` are the statements that assign its result."""
        table, own, part = self.table, [self.script.statements[i] for i in places], answer.part
        at, why = own[0], ""
        if part is None:
            assert answer.reason is not None
            at, why = answer.reason.statement or own[0], str(answer.reason)
        else:
            parameters = table.loop.split(", ") if table.loop else part.parameters
            before = [f"{', '.join(names)} = {group}" for group, names in table.groups.items()] if table.loop else []
            before += [f"{other} = {table.same.get(other) or table.others[other]}" for other in part.same]
            try:
                self.pieces.append(function(name, parameters, part, before, result, own))
            except PARSE_ERRORS as error:
                why = str(error.msg) if isinstance(error, SyntaxError) else "it is nested too deeply"
        if part is None or why:
            what = "The training loop" if table.loop else f"`{name}`"
            message = f"{what} cannot be taken out of {at.file}, line {at.line}: {why}."
            self.missing |= dict.fromkeys(rows, message)
            return
        self.parts.append(part)
        self.places.append(min(places))
        self.numbers |= dict.fromkeys(rows, written_numbers(part.statements))
        if sum(len(line) for piece in self.pieces for line in piece.lines) > MAX_WRITTEN_CHARACTERS:
            raise NotebookError("its gradients depend on too much of its code. Submit the exercise's cells only.")

    def absent(self, name: str) -> str:
        """Why there is no such gradient: unreadable lines, a place that is not read, another name."""
        script = self.script
        broken = next((each for each in script.broken if each.has(name)), None)
        self.attempted |= broken is not None or name in script.elsewhere
        if broken is not None:
            return f"`{name}` is in lines that Python cannot read: {broken.in_words}"
        if name in script.elsewhere:
            advice = f"assign it to a variable `{name}` outside of functions and classes"
            return f"{script.elsewhere[name]} is not read: {advice}."
        called = [name, *(other for other, gradient in self.names.others.items() if gradient == name)]
        assigned = next((each for each in called if each in self.uses.binds), None)
        what = f"`{assigned}` for another exercise only, and not again for this one" if assigned else f"no `{name}`"
        similar = self.similar.get(name)
        return f"{self.shown} assigns {what}{f'; did you mean `{similar}`? Rename it.' if similar else '.'}"

    @cached_property
    def similar(self) -> dict[str, str]:
        """{gradient: a variable of the student's own that may be meant by it}, each variable for one gradient."""
        gradients = {*self.lesson.chain.names, *self.table.names}
        known = {*gradients, *self.names.others, *self.table.values, *self.table.gradients}
        own = sorted(each for each in self.uses.binds.keys() - known if each.startswith("d"))
        return close_names(sorted(gradients), own)
