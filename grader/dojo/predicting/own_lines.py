"""Predictions about the student's own lines: one is changed, and the changed file is checked like any other.

The changed file is only in memory. It runs as `dojo check` runs the student's own.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.defence.question import Chance
from grader.dojo.desk import Checked, Desk
from grader.dojo.predicting.forward_pass import MAX_ROWS_NAMED, Prediction, rows_question
from grader.lesson.paths import BACKWARD_FILE
from grader.results import Row
from grader.results.wording import format_shape, listed_as_code
from grader.source.parsing import parse_text

EXCHANGED_REDUCTIONS = ("sum", "mean")
EXCHANGED_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-"}
MAX_PREDICTIONS_TRIED = 4


@dataclass(frozen=True)
class LineChange:
    """A changed line of a function.

    Attributes:
        lines, at: the file, and which of its lines is changed, counted from 0.
        changed: that line as it is in `source`.
        words: what happens to the function: "loses its sum".
    """

    function: str
    lines: Sequence[str]
    at: int
    changed: str
    words: str

    @property
    def before(self) -> str:
        return self.lines[self.at].strip()

    @property
    def after(self) -> str:
        return self.changed.strip()

    @property
    def source(self) -> bytes:
        """The changed file. There may be as many changes as the file has lines, and few of them are tried."""
        return "\n".join([*self.lines[: self.at], self.changed, *self.lines[self.at + 1 :]]).encode()


def own_predictions(at: Desk, checked: Checked, chance: Chance) -> list[Prediction]:
    """A shape and the rows that turn red, for one of the student's right lines; none where no change of one shows."""
    right = {row.name for row in checked.judged.rows if is_green(row)}
    functions = {checked.lesson.item_for(name).function for name in right}
    source, found = checked.submitted.files[BACKWARD_FILE], list[Prediction]()
    before = {row.name: row for row in checked.judged.rows}
    for kind in (lost_sums, other_signs):
        changes = list(kind(source, functions))
        chance.shuffle(changes)
        for change in changes[:MAX_PREDICTIONS_TRIED]:
            files = {**checked.submitted.files, BACKWARD_FILE: change.source}
            changed = replace(checked.submitted, files=files, origin=None)
            after = at.check(checked.lesson, changed, repairs=False).judged
            if not after.runs or any(row.status == "timeout" for row in after.rows):
                continue  # what did not finish depends on the machine
            rows = {row.name: row for row in after.rows if row.name in right and is_judged(row, before[row.name])}
            red = [name for name in rows if not is_green(rows[name])]
            others = [name for name in red if checked.lesson.item_for(name).function != change.function]
            if others or (red and len(functions) == 1):
                return about(change, checked, red, rows, chance)
            found = found or (about(change, checked, red, rows, chance) if red else [])
        if found:  # it spoils its own row alone
            return found
    return found


def is_green(row: Row) -> bool:
    """Whether a row is right in the student's own chain, or passes its public example."""
    return (row.status == "passed" and row.chain != "failed") or row.status == "here"


def is_judged(row: Row, before: Row) -> bool:
    """Whether a row is clearly red or green: one that the chain no longer reaches, because of an error, is neither."""
    return row.chain == before.chain or row.chain != "skipped" or row.status != "passed"


def about(
    change: LineChange, checked: Checked, red: Sequence[str], rows: Mapping[str, Row], chance: Chance
) -> list[Prediction]:
    lesson, title = checked.lesson, f"`{change.function}` {change.words}"
    own = [name for name in red if lesson.item_for(name).function == change.function]
    code = (f"- {change.before}", f"+ {change.after}")
    found = []
    first = rows[own[0]] if own else None
    if first is not None and first.shape is not None and first.status == "shape":
        text = (
            f"{title}. `{lesson.item_for(own[0]).target}` has the shape {format_shape(first.expected_shape)} on the "
            f"published problem. Which shape does `{own[0]}` have now?"
        )
        shown = f"It is {format_shape(first.shape)}; the check says: {first.message}"
        found.append(Prediction("", title, "shape", text, format_shape(first.shape), model=shown, code=code))
    others = [name for name in red if name not in own]
    green = [name for name in rows if name not in red]
    those = f"`{own[0]}`" if len(own) == 1 else "its own"
    chain = "Each row is checked in your whole chain. " if lesson.gradients else ""
    text = f"{title}. {chain}Which rows besides {those} turn red?"
    causes = [name for name in own if any(name in rows[other].because_of for other in others)]
    wrong = listed_as_code(causes, MAX_ROWS_NAMED)
    why = f"Their own lines are right, but they are computed from a wrong {wrong}." if causes else ""
    found.append(rows_question(title, text, code, others, green, why, chance))
    return found


def lost_sums(source: bytes, functions: Collection[str]) -> Iterator[LineChange]:
    """The file without one sum or mean, for each of those in `functions`."""
    for file, statement, node in nodes_in(source, functions):
        inner = summed_operand(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and inner is not None:
            kept = b"(" + file.line(statement)[inner.col_offset : inner.end_col_offset] + b")"
            yield file.changed(statement, node.col_offset, node.end_col_offset, kept, f"loses its {node.func.attr}")


def other_signs(source: bytes, functions: Collection[str]) -> Iterator[LineChange]:
    """The file with + in place of a -, or - in place of a +."""
    for file, statement, node in nodes_in(source, functions):
        sign = EXCHANGED_SIGNS.get(type(node.op)) if isinstance(node, ast.BinOp) else None
        if isinstance(node, ast.BinOp) and sign is not None and node.left.end_col_offset is not None:
            other = "-" if sign == "+" else "+"
            between = file.line(statement)[node.left.end_col_offset : node.right.col_offset].decode()
            new = between.replace(sign, other).encode()
            words = f"gets a {other} in place of a {sign}"
            yield file.changed(statement, node.left.end_col_offset, node.right.col_offset, new, words)


@dataclass(frozen=True)
class FunctionInFile:
    """A function of a file that is about to be changed; `lines` are those of the whole file."""

    name: str
    lines: Sequence[str]

    def line(self, statement: ast.stmt) -> bytes:
        return self.lines[statement.lineno - 1].encode()

    def changed(self, statement: ast.stmt, start: int, end: int | None, new: bytes, words: str) -> LineChange:
        """The file with `new` in place of the bytes from `start` to `end` of a statement's line."""
        line = self.line(statement)
        return LineChange(
            self.name, self.lines, statement.lineno - 1, (line[:start] + new + line[end:]).decode(), words
        )


def nodes_in(source: bytes, functions: Collection[str]) -> Iterator[tuple[FunctionInFile, ast.stmt, ast.AST]]:
    """(function, statement of one line, a part of it) for the assignments and results of `functions`."""
    text = source.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    tree, lines = parse_text(text), text.split("\n")
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            for each in ast.walk(node):
                if isinstance(each, (ast.Return, ast.Assign)) and each.lineno == each.end_lineno:
                    yield from ((FunctionInFile(node.name, lines), each, part) for part in ast.walk(each))


def summed_operand(node: ast.AST) -> ast.expr | None:
    """What a call sums: x of x.sum(0) and of torch.sum(x, 0)."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr not in EXCHANGED_REDUCTIONS
    ):
        return None
    inside = node.func.value
    if isinstance(inside, ast.Name) and inside.id in ("torch", "np"):
        return node.args[0] if node.args else None
    return inside
