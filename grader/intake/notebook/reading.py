"""The lecture's notebook, or a script like it, as the file of a lesson: each gradient's statements as a function."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from grader.intake.notebook.as_file import (
    FileWriter,
    NotebookReading,
    Origin,
    at_the_top,
    function,
    unwritten_function,
)
from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.lesson_part import (
    Chooser,
    ChosenRun,
    StatementRun,
    is_from_autograd,
    is_placeholder,
    possible_names,
)
from grader.intake.notebook.names import KnownNames, names_for
from grader.intake.notebook.script import NotebookScript, Page, Statement, script_of
from grader.intake.notebook.sizes import SizeReader, sizes_set, with_names_of_sizes
from grader.intake.notebook.slices import Slice
from grader.intake.notebook.stub_functions import with_functions
from grader.intake.notebook.uses import Uses
from grader.intake.notebook.written_numbers import written_numbers
from grader.lesson.notebook_table import LessonSizes, NotebookLesson, NotebookTable
from grader.source.own_functions import first_nested
from grader.source.parsing import PARSE_ERRORS
from grader.source.similar_names import close_name
from grader.source.syntax import WrittenNumber
from grader.source.unparsing import code_of

MAX_WRITTEN_CHARACTERS = 300_000  # characters: what the static check reads


def read_lesson_part(
    lesson: NotebookLesson, page: Page, shown: str, functions: bool = True, definitions: Mapping[str, int] = {}
) -> NotebookReading:
    """What the cells contain for the lesson; `shown` is the name of the whole in messages. Raises NotebookError.

    With `functions` they may also contain the stub's functions: only where it is known which lesson they are for,
    because several lessons have a function `dx`. `definitions` says which of the definitions of a function is the
    lesson's, counted from 0 in the order of the cells; of other functions it is the last one.
    """
    table = lesson.table
    nothing = f"{shown} holds nothing for this lesson"
    if table is None and not functions:
        return NotebookReading(None, Origin(), nothing + ".", attempted=False)
    chain = lesson.chain
    loop_names = {*chain.names, *(table.names if table else ())}
    gradients = loop_names | page.possible_gradients([name for name in loop_names if name.startswith("d")])
    values = {name for each in (chain, table) if each for name in (*each.given.values, *each.forward)}
    script = script_of(page, gradients, values - gradients)
    own_functions = [name for name in lesson.functions if name in script.functions]
    assigned = {name for s in script.statements if s.computes for name in s.names.binds | s.names.changes} & gradients
    if functions and len(own_functions) > len(assigned):
        return with_functions(lesson, script, page, own_functions, definitions)
    if table is None:
        what = first_nested((cell.text for cell in page.cells), lesson.functions) or "none of its functions."
        return NotebookReading(None, Origin(), f"{nothing}: it defines {what}", attempted=False)
    uses = Uses(script.statements, gradients)
    names = names_for(lesson, table, page, uses)
    size_reader = SizeReader(uses)
    sizes = lesson.sizes.with_names({**names.compared, **names.others})
    table = with_names_of_sizes(names.added_to(table), sizes, size_reader)
    chooser = Chooser(uses, table, names.added_to(lesson.stepwise or chain))
    writing = Writing(lesson, script, page, shown, loop_names, names, size_reader, sizes)
    if table.loop is None:
        for name in lesson.gradients:
            if name in table.names:
                writing.step(name, chooser.choose(name), table, chooser.undecided.get(name, ()))
    else:
        writing.joint(table, chooser)
    return writing.done(table)


class Writing:
    def __init__(
        self,
        lesson: NotebookLesson,
        script: NotebookScript,
        page: Page,
        shown: str,
        gradients: Collection[str],
        names: KnownNames,
        size_reader: SizeReader,
        sizes: LessonSizes,
    ) -> None:
        """`gradients` are all that the lecture's notebook has: none of them is another's other name."""
        self.lesson, self.script, self.page, self.shown, self.gradients = lesson, script, page, shown, gradients
        self.names, self.remarks = names, dict[str, str]()
        self.size_reader, self.sizes = size_reader, sizes
        self.places: list[int] = []  # where each gradient that was written begins
        self.numbers: dict[str, list[WrittenNumber]] = {}
        self.pieces: list[FileWriter] = []
        self.parts: list[Slice] = []
        self.missing: dict[str, str] = {}
        self.rows: dict[str, tuple[str, int]] = {}
        self.attempted = False
        self.elsewhere: list[str] = []

    @cached_property
    def at(self) -> dict[int, int]:
        """{id of a statement: its number}."""
        return {id(statement): i for i, statement in enumerate(self.script.statements)}

    @cached_property
    def bound(self) -> set[str]:
        return {name for statement in self.script.statements for name in statement.names.binds}

    def step(self, name: str, found: ChosenRun | None, table: NotebookTable, undecided: Sequence[str] = ()) -> None:
        """One gradient as a function of its own, or the reason why it is missing. `undecided` are variables for it."""
        if found is None:
            self.attempted |= bool(undecided)
            together = " and ".join(f"`{variable}`" for variable in undecided[:3])
            self.missing[name] = (
                f"{together} are both compared with this gradient: call the one that counts `{name}`."
                if together
                else self.absent(name, table)
            )
            return
        self.attempted = True
        own = [self.script.statements[i] for i in found.run]
        self.remarks |= self.names.remarks_on(name, found.variable)
        self.write(name, [name], found, own, table, found.variable, ())

    def joint(self, table: NotebookTable, chooser: Chooser) -> None:
        """The loop's body as the lesson's one function, which returns what the loop has of the gradients."""
        assert self.lesson.joint is not None and table.loop is not None
        rows = [name for name, function in self.lesson.rows.items() if function == self.lesson.joint]
        chosen = chooser.choose_loop()
        if chosen is None:
            expected = ", ".join(name for name in table.names if name.startswith("d"))
            message = f"{self.shown} has no training loop that assigns {expected}."
            if inside := [name for name in table.names if name[:1] == "d" and name in self.script.inside]:
                holder, file, line = self.script.inside[inside[0]]
                message = f"{message[:-1]}: what `{holder}` assigns ({file}, line {line}) is not read."
            self.missing |= dict.fromkeys(rows, message)
            return
        targets, found = chosen
        self.attempted = True
        again = {name: text for name, run in targets.items() if (text := self.set_to_none_again(run))}
        self.missing |= again
        targets = {name: run for name, run in targets.items() if name not in again}
        rows = [name for name in rows if name not in again]
        own = [self.script.statements[i] for i in sorted(i for run in targets.values() for i in run.places)]
        before = [f"{', '.join(names)} = {group}" for group, names in table.groups.items()]
        result = "{" + ", ".join(f"{name!r}: {run.variable}" for name, run in targets.items()) + "}"
        if is_placeholder([s for s in own if "loss" not in s.names.binds]):
            self.pieces.append(unwritten_function(self.lesson.joint, table.loop, own[0]))
            return
        for name in rows:
            if name in targets:
                self.remarks |= self.names.remarks_on(name, targets[name].variable)
            else:
                self.missing[name] = f"The training loop in {own[0].file} assigns no `{name}`."
        firsts = {name: self.script.statements[run.places[0]] for name, run in targets.items()}
        self.rows = {name: (first.file, first.line) for name, first in firsts.items()}
        self.write(self.lesson.joint, rows, found, own, table, result, before)

    def set_to_none_again(self, run: StatementRun) -> str:
        """A sentence where a template's `dC, dW1 = [None] * 2` follows the formula; "" for every other run."""
        formula = self.script.statements[run.places[-1]]
        later = self.script.statements[run.places[-1] + 1 :]
        again = next((each for each in later if run.variable in each.names.binds), None)
        if again is None or not is_placeholder([again]) or is_from_autograd([again]) or is_placeholder([formula]):
            return ""
        return (
            f"`{run.variable}` is computed in {formula.file}, line {formula.line}, and `{code_of(again.node)}` in line "
            f"{again.line} sets it to None again."
        )

    def write(
        self,
        name: str,
        rows: Sequence[str],
        found: ChosenRun,
        own: Sequence[Statement],
        table: NotebookTable,
        result: str,
        before: Sequence[str],
    ) -> None:
        place = f"{own[0].file}, line {own[0].line}"
        what = "The training loop" if table.loop else f"`{name}`"
        if found.part is None:
            at = (found.reason.statement if found.reason else None) or own[0]
            message = f"{what} cannot be taken out of {at.file}, line {at.line}: {found.reason}".rstrip(".")
            message += "" if message.endswith("?") else "."
            self.missing |= dict.fromkeys(rows, message)
            return
        if table.loop is None and is_from_autograd(own):
            text = code_of(own[0].node)
            self.missing |= dict.fromkeys(rows, f"`{text}` in {place} is autograd's gradient. Write your own formula.")
            return
        if table.loop is None and is_placeholder(own):
            self.pieces.append(unwritten_function(name, "", own[0]))
            return
        parameters = table.loop.split(", ") if table.loop else found.part.parameters
        same = [f"{other} = {table.given.expression(other)}" for other in found.part.same]
        try:
            self.pieces.append(function(name, parameters, found.part, [*before, *same], result, own, self.page.written))
        except PARSE_ERRORS as error:
            why = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
            self.missing |= dict.fromkeys(rows, f"{what} cannot be taken out of {place}: {why}.")
            return
        self.parts.append(found.part)
        self.places.append(min(self.at[id(statement)] for statement in own))
        self.numbers |= dict.fromkeys(rows, written_numbers(found.part.statements))
        if sum(len(line) for piece in self.pieces for line in piece.lines) > MAX_WRITTEN_CHARACTERS:
            raise NotebookError("its gradients depend on too much of its code. Submit the exercise's cells only.")

    def absent(self, name: str, table: NotebookTable) -> str:
        """Why there is no such gradient: unreadable lines, a place that is not read, another name."""
        for broken in self.script.broken:
            if broken.has(name):
                self.attempted = True
                return f"`{name}` is in lines that Python cannot read: {broken.in_words}"
        if name in self.script.kept:
            code, file, line = self.script.kept[name]
            self.attempted = True
            why = "is part of an object, which is not read"
            return f"`{code}` ({file}, line {line}) {why}: assign it to a variable `{name}`."
        if name in self.script.inside:
            holder, file, line = self.script.inside[name]
            self.attempted = True
            found = f"`{name}` is assigned inside of `{holder}` only ({file}, line {line})"
            if any(isinstance(s.node, ast.ClassDef) and s.node.name == holder for s in self.script.statements):
                return f"{found}; what is read is the code outside of classes: assign it to a variable `{name}`."
            is_called = any(holder in each.names.reads | each.names.late for each in self.script.statements)
            why = f"whose result is not assigned to `{name}`" if is_called else "which nothing calls"
            return f"{found}, {why}. Write `{name} = {holder}(...)` outside of functions."
        if name in self.names.reasons:
            self.attempted = True
            start = "" if name in self.names.others else f"{self.shown} assigns no `{name}`. "
            return start + self.names.reasons[name]
        called = [name, *(other for other, gradient in self.names.others.items() if gradient == name)]
        strangers = sorted(
            self.bound - {*self.gradients, *self.names.others} - table.given.values - table.given.gradients
        )
        near = close_name(name, possible_names(name, strangers, self.gradients, self.script.statements))
        guess = f"; did you mean `{near}`? Rename it." if near else "."
        if elsewhere := [each for each in called if each in self.bound]:
            guess = guess.replace("Rename it.", "Rename that one.")
            self.elsewhere.append(name)
            return f"{self.shown} assigns `{elsewhere[0]}` for another exercise only, and not again for this one{guess}"
        return f"{self.shown} assigns no `{name}`{guess}"

    def done(self, table: NotebookTable) -> NotebookReading:
        cannot = [row for row, needed in self.lesson.rows.items() if needed not in (*table.names, self.lesson.joint)]
        for row in cannot:
            self.missing[row] = (
                "The lecture's notebook has no such row. For its points, submit a backward.py that has "
                f"`{self.lesson.rows[row]}`."
            )
        if not self.pieces:
            reasons = list(dict.fromkeys(text for row, text in self.missing.items() if row not in cannot))
            held = [row for row in self.missing if row in self.script.inside or row in self.script.kept]
            message = reasons[0] if len(reasons) == 1 else self.missing[held[0]] if held else None
            names = ", ".join(name for name in table.names[:3]) + (", ..." if len(table.names) > 3 else "")
            message = message or f"{self.shown} holds nothing for this lesson: {names} not assigned in its place."
            origin = Origin(missing=self.missing, uncounted=cannot)
            return NotebookReading(None, origin, message, self.attempted, elsewhere=self.elsewhere)
        file = FileWriter()
        for line in at_the_top(self.parts):
            file.add(line)
        for piece in self.pieces:
            file.add("")
            file.extend(piece)
        sizes = sizes_set(self.size_reader, self.sizes, table.given.same, self.places)
        origin = Origin(
            lines=file.places,
            missing=self.missing,
            rows=self.rows,
            sizes=sizes,
            numbers=self.numbers,
            remarks=self.remarks,
            uncounted=cannot,
            shown=self.script.renamed,
        )
        return NotebookReading(file.source, origin, elsewhere=self.elsewhere)
