"""Names for the parts of a notebook's objects, from which the lesson's gradients are recognised as in any notebook."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from grader.intake.notebook.object_statements import StatementReader
from grader.intake.notebook.object_stores import PlainStatement
from grader.intake.notebook.object_values import LIST_KINDS, Record, Variable
from grader.intake.notebook.spellings import GRADIENT_MARKS, WORDS_AROUND_A_GRADIENT
from grader.source.syntax import all_nodes, names_in

GRADIENT_HOLDERS = GRADIENT_MARKS | {
    "g",
    "gs",
    "dd",
    "derivs",
    "derivatives",
    "gradients",
    "deltas",
    "backprop",
    "adjoint",
}
PartPath = tuple[str, ...]


def is_plain_copy(node: ast.AST) -> bool:
    """Whether it is `a = b`."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Name)
    )


class PartNames:
    """Names for the parts of objects and for the variables of functions that were written out."""

    def __init__(self, reader: StatementReader, statements: Sequence[PlainStatement], known: Collection[str]) -> None:
        self.reader, self.known = reader, known
        self.bound = Counter(
            each.id
            for _, node in statements
            for each in all_nodes(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        )
        self.plain = {name for name in self.bound if name[:1] != "@"}
        opened = {*reader.functions.values()}
        staying = (node for _, node in statements if getattr(node, "name", "") not in opened)
        self.taken = {name for node in staying for name in names_in(node) if name[:1] != "@"}
        self.same: dict[str, str] = {}
        for node in (each for _, statement in statements for each in all_nodes(statement)):
            if is_plain_copy(node):
                assert isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
                assert isinstance(node.targets[0], ast.Name)
                self.join(node.targets[0].id, node.value.id)
        self.paths = {name: self.path(*part) for name, part in reader.parts.items()}
        self.shown: dict[str, str] = {}
        self._endings: dict[int, Counter[str]] = {}
        self.last = {own: name for name, own in reader.locals.items()}  # {(name, call): its last variable}
        self.used = Counter(own for own, _ in self.last)
        self.final: dict[str, str] = {}
        for name in sorted(self.paths, key=lambda each: self.is_gradient(self.paths[each])):
            self.final[name] = self.name_of_part(name)
        for name in reader.locals:
            self.final[name] = self.name_of_local(name)
        for name in [*self.paths, *reader.locals]:
            first = self.first(name)
            self.final[name] = self.final.get(first, first)

    # copies

    def first(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name

    def rank(self, name: str) -> int:
        return 0 if name[:1] != "@" else 1 if name in self.reader.parts else 2

    def own_name(self, name: str) -> str:
        """The name in the notebook: of a part its key, of a variable of a function the name there."""
        return (
            str(self.reader.parts[name][1]) if name in self.reader.parts else self.reader.locals.get(name, (name, 0))[0]
        )

    def join(self, one: str, other: str) -> None:
        """Takes a copy and what it copies for one variable, where both are bound once."""
        one, other = self.first(one), self.first(other)
        if one == other or self.bound[one] > 1 or self.bound[other] > 1:
            return
        better, worse = sorted((one, other), key=self.rank)
        own = {self.own_name(better), self.own_name(worse)}
        if self.rank(better) == self.rank(worse) < 2 or (len(own) == 2 and own <= {*self.known}):
            return
        self.same[worse] = better

    # names

    def path(self, record: Record, key: str | int | None) -> PartPath:
        found: list[str] = [str(key)]
        seen: set[int] = set()
        while record.owner is not None and id(record) not in seen:
            seen.add(id(record))
            parent, name = record.owner
            found.append(str(name))
            if parent is None:
                break
            record = parent
        return tuple(found[::-1])

    def is_gradient(self, path: PartPath) -> bool:
        return any(part in self.holders or has_mark(part) for part in path[:-1]) or self.value_of(path) is not None

    @cached_property
    def holders(self) -> set[str]:
        """Names of records that contain gradients: by what they are called, or by what they contain."""
        found = set()
        for record in {id(record): record for record, _ in self.reader.parts.values()}.values():
            keys = {str(key) for key in record.fields}
            values = {key for key in keys if key in self.known and key in self.plain and key[:1] != "d"}
            computed = {key for key in values if self.is_computed(record.fields[key])}
            if any(has_mark(name) for name in record.called) or (len(computed) > 2 and not keys & self.gradients):
                found |= record.called
        return found

    @cached_property
    def gradients(self) -> set[str]:
        return {name for name in self.known if name[:1] == "d" and name[1:] in self.known}

    def is_computed(self, value: object) -> bool:
        return isinstance(value, Variable) and self.first(value.name) not in self.plain

    def value_of(self, path: PartPath) -> str | None:
        """The part whose gradient this is: its sibling `weight` of `dweight`, or `params["W"]` of `grads["W"]`."""
        *outer, key = path
        wanted: list[PartPath] = []
        plain = key.casefold().strip("_")
        for start in ("d_", "grad_", "dl_d", "dl", "d", "g"):
            wanted += [(*outer, plain[len(start) :])] if plain.startswith(start) else []
        for end in ("_grad", "grad", "_gradient"):
            wanted += [(*outer, plain[: -len(end)])] if plain.endswith(end) else []
        for place, part in enumerate(outer):
            if part in self.holders or has_mark(part):
                rest = tuple(path[:place] + path[place + 1 :])
                wanted.append(rest)
                folded = tuple(part.casefold().strip("_") for part in rest)
                wanted += [
                    each
                    for each in self.by_path
                    if len(each) == len(path) and (*each[:place], *each[place + 1 :]) == folded
                ]
        for each in wanted:
            name = self.by_path.get(tuple(part.casefold().strip("_") for part in each))
            if name is not None and self.paths.get(name) != path:
                return name
        return None

    @cached_property
    def by_path(self) -> dict[PartPath, str]:
        """{path in small letters: the variable}, of all parts of the records"""
        found: dict[PartPath, str] = {}
        waiting = [record for record, _ in self.reader.parts.values()]
        waiting += [value for value in self.reader.globals.values() if isinstance(value, Record)]
        seen: set[int] = set()
        while waiting:
            record = waiting.pop()
            if id(record) in seen:
                continue
            seen.add(id(record))
            for key, value in record.fields.items():
                if isinstance(value, Record):
                    waiting.append(value)
                elif isinstance(value, Variable | ast.Name):
                    name = value.name if isinstance(value, Variable) else value.id
                    found[tuple(part.casefold().strip("_") for part in self.path(record, key))] = name
        return found

    def name_of_part(self, name: str) -> str:
        path = self.paths[name]
        key = path[-1]
        value = self.value_of(path)
        if value is not None:
            first = self.first(value)
            of = self.final.get(first, first)
            if of[:1] != "@":
                found = f"d{of}" if f"d{of}" in self.known else f"d_{of}"
                return self.show(found, name)
        marks = [place for place, part in enumerate(path[:-1]) if part in self.holders or has_mark(part)]
        if marks and key[:1] != "d" and key.casefold().split("_")[-1] not in GRADIENT_MARKS:
            rest = [f"item{part}" if part.isdigit() else part for part in path[marks[-1] + 1 :]]
            return self.show(self.identifier(("grads", *rest)), name)
        if key in self.known and self.keys[key] == 1:
            return key
        for start in range(len(path) - 1, -1, -1):
            found = self.identifier(path[start:])
            if path[start].isdigit():
                continue
            is_only = self.endings(len(path) - start)[found] == 1
            if is_only and found not in self.taken and found not in WORDS_AROUND_A_GRADIENT:
                return self.show(found, name)
        return self.show(self.identifier((*path, name[1:].partition(".")[0])), name)

    @cached_property
    def keys(self) -> Counter[str]:
        """For each last part of a path, how many paths end with it."""
        return Counter(path[-1] for path in {*self.paths.values()})

    def endings(self, length: int) -> Counter[str]:
        """For each identifier, how many paths have it as the identifier of their last `length` parts."""
        if length not in self._endings:
            self._endings[length] = Counter(self.identifier(path[-length:]) for path in {*self.paths.values()})
        return self._endings[length]

    def identifier(self, parts: Iterable[str]) -> str:
        text = "_".join("".join(c if c.isalnum() or c == "_" else "_" for c in part) for part in parts)
        return text if text.isidentifier() else f"_{text}"

    def show(self, found: str, name: str) -> str:
        record, _ = self.reader.parts[name]
        path = self.paths[name]
        if found not in self.known and found != path[-1]:
            self.shown.setdefault(found, code_of_path(record, path))
        return found

    def name_of_local(self, name: str) -> str:
        own, call = self.reader.locals[name]
        is_last = self.last[own, call] == name
        if is_last and self.used[own] == 1 and (own not in self.taken or own in self.known):
            return own
        version = name.rpartition(":")[2]
        found = f"{own}_in_{self.reader.functions.get(call, 'loop')}_{version}"
        self.shown.setdefault(found, own)
        return found


def has_mark(name: str) -> bool:
    """Whether one of the words of a name says that it is about gradients: `HeadGrads`, `my_grads`."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return any(word.casefold() in GRADIENT_HOLDERS for word in words)


def code_of_path(record: Record, path: PartPath) -> str:
    """The code of a part: `net.l2.weight`, `grads["W1"]`."""
    parts = [path[-1]]
    records = [record]
    while records[-1].owner is not None and records[-1].owner[0] is not None and len(records) < len(path):
        records.append(records[-1].owner[0])
    text = path[0]
    for holder, key in zip(records[::-1], path[1:], strict=False):
        if holder.kind in LIST_KINDS:
            text += f"[{key}]"
        else:
            text += f'["{key}"]' if holder.kind == "dict" else f".{key}"
    return text if len(path) > 1 else parts[0]
