"""How a lesson declares its known mistakes (solutions/NN_name/mistakes.py).

    MISTAKES = mistake_list('''
    [dlogprobs]
    no_one_over_n: -F.one_hot(Yb, logprobs.shape[1])
        The loss is a mean: ...
    twice: gradient = torch.zeros_like(logprobs); gradient[range(n), Yb] = -2 / n; gradient
        ...

    [BatchNorm1d]
    - self.momentum * var * n / (n - 1)
    biased: self.momentum * var
        The running variance is unbiased: ...
    ''')

In a list, `[name]` is the function that is wrong. An entry is the mistake's id, the wrong formula, and below it the
message. Further lines of the formula are indented by eight spaces; its last statement is the expression that it
returns. Its parameters are the names that it reads. Below lines that begin with `- `, an entry is an edit of the answer
key: its code replaces the text of those lines, which must occur once. A line that begins with `#` is a comment.

The message says what the formula computes and what to check. It does not give the answer.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType

from grader.source.statement_names import names_of_statement
from grader.source.syntax import DefinitionNode

CODE_INDENT = " " * 8
"""What precedes the further lines of an entry's formula; its message is indented less."""
SECTION_LINE, ENTRY_LINE = re.compile(r"\[(\w+)\]"), re.compile(r"(\w+):(?: +(.*))?")


@dataclass(frozen=True)
class Signature:
    """What a formula in place of a function may read: `names`, those of mistakes.py and Python's own.

    Its parameters are `arguments`; where that is None, those of `names` that it reads.
    """

    names: Collection[str]
    arguments: ast.arguments | None = None


@dataclass(frozen=True)
class Mistake:
    """A wrong version of a function of the answer key: of `gradient`'s, or of another one.

    Its text `new` takes the place of `old`, whose further lines are indented like the line in which `old` is found.
    Without `old` it is a whole function, below the `helpers` that it calls; in a list, the formula that this returns.
    """

    gradient: str
    id: str
    message: str
    old: str = ""
    new: str = ""
    helpers: str = ""

    @property
    def name(self) -> str:
        return f"{self.gradient}__{self.id}"

    @property
    def formula(self) -> str:
        """The wrong function; "" for an edit."""
        return "" if self.old else self.new

    def applied_to(self, solution: str) -> str:
        """The solution's text with this mistake in it. Raises ValueError when an edit does not fit exactly once."""
        if not self.old:
            return f"{solution}\n\n{self.source()}\n"
        found = list(self._edited(solution))
        if len(found) != 1:
            raise ValueError(
                f"the mistake {self.name} replaces {self.old!r}, which is in the solution "
                f"{len(found)} times; expected once."
            )
        return found[0]

    def _edited(self, solution: str) -> Iterator[str]:
        """The solution with `old` replaced, for each place where it is found."""
        for match in re.finditer(re.escape(self.old.partition("\n")[0]), solution):
            start = match.start()
            line = solution[solution.rfind("\n", 0, start) + 1 : start]
            indentation = "\n" + line[: len(line) - len(line.lstrip())]
            old, new = self.old.replace("\n", indentation), self.new.replace("\n", indentation)
            if solution.startswith(old, start):
                yield solution[:start] + new + solution[start + len(old) :]

    def source(self) -> str:
        """The wrong function as a student's file would have it, below the helpers that it calls."""
        return "\n\n\n".join(filter(None, (self.helpers, self.new)))

    def declaration(self) -> str:
        """The mistake as Python; of an edit, each new line is a string of its own."""
        if not self.old:
            return f"{self.message!r}\n\n{self.new.replace(f'def {self.gradient}(', f'def {self.name}(', 1)}"
        lines = [line.strip() for line in self.new.splitlines() if line.strip() not in self.old]
        return f"{[self.name, self.message, self.old, self.new, lines]!r}"


def mistake_list(text: str, replaces: str = "", by: str = "") -> tuple[Mistake, ...]:
    """The mistakes of a list, in its order.

    With `replaces`, its edits are made in the text `by`, which takes the place of `replaces` in the answer key.
    Raises ValueError for a line that is not understood, a missing message, and an edit that does not fit `by` once.
    """
    return tuple(
        replace(each, old=replaces, new=each.applied_to(by)) if replaces and each.old else each
        for each in _entries(text)
    )


def _entries(text: str) -> Iterator[Mistake]:
    section, old, is_old_open = "", "", False
    lines = [line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for block in re.split(r"\n(?=\S)", "\n".join(lines)):
        head, *below = block.split("\n")
        if head.startswith("- "):
            old = f"{old}\n{head[2:]}" if is_old_open else head[2:]
        elif heading := SECTION_LINE.fullmatch(head):
            section, old = heading[1], ""
        elif section and (start := ENTRY_LINE.fullmatch(head)):
            yield _entry(section, start[1], old, start[2] or "", below)
            below = []
        elif head:
            raise ValueError(f"[{section}], the line `{head.strip()}`: expected `id: formula` below a `[gradient]`.")
        if below:
            raise ValueError(f"[{section}], the line `{below[0].strip()}`: indented, but below no `id: formula`.")
        is_old_open = head.startswith("- ")


def _entry(section: str, identifier: str, old: str, first: str, below: list[str]) -> Mistake:
    """One entry: `first` is what follows its id on the same line; `below` are its further lines, indented."""
    further = [line for line in below if line.startswith(CODE_INDENT)]
    message = [line for line in below if not line.startswith(CODE_INDENT)]
    if not message or below != further + message:
        raise ValueError(f"{section}__{identifier}: expected the formula, then the message indented by four spaces.")
    code = "\n".join(filter(None, [first, textwrap.dedent("\n".join(further))]))
    said = " ".join(" ".join(message).split())
    return Mistake(section, identifier, said, old, code)


def mistakes_of(module: ModuleType, text: str, signature: Callable[[str], Signature]) -> Iterator[Mistake]:
    """All mistakes of a loaded mistakes.py, whose text is given, in the order of the file.

    `signature` gives that of a function by its name, or raises ValueError.
    Raises ValueError for a formula that is not Python, or that reads a name that nobody defines.
    """
    helpers = {each.name: ast.unparse(each) for each in ast.parse(text).body if isinstance(each, DefinitionNode)}
    for value in list(vars(module).values()):
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Mistake):
                yield each if each.old else _as_function(each, vars(module), helpers, signature)


def signatures_in(text: str) -> dict[str, Signature]:
    """The functions of a Python file, each with its parameters and all names that it can read."""
    names = set(symtable.symtable(text, "file", "exec").get_identifiers())
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    own = {f.name: {node.arg for node in ast.walk(f.args) if isinstance(node, ast.arg)} for f in functions}
    return {f.name: Signature(names | own[f.name], f.args) for f in functions}


def _as_function(
    mistake: Mistake, known: Collection[str], helpers: Mapping[str, str], signature: Callable[[str], Signature]
) -> Mistake:
    """The mistake of a list, with its formula as a function. `known` are the names of mistakes.py."""
    try:
        body = ast.parse(mistake.new).body
        if not body or not isinstance(last := body[-1], ast.Expr):
            raise ValueError("its last statement is not an expression")
        allowed = signature(mistake.gradient)
        used, read, given = set[str](), list[str](), {*known, *vars(builtins)}
        for statement in body:
            names = names_of_statement(statement, {})
            used |= names.reads | names.late
            read += sorted((names.reads | names.late) - given)
            given |= names.binds | set(read)
        if unknown := [name for name in read if name not in allowed.names]:
            raise ValueError(f"there is no value `{unknown[0]}`")
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(f"{mistake.name}: `{mistake.new}`: {reason}.") from error
    arguments = allowed.arguments or ast.arguments([], [ast.arg(name) for name in read], None, [], [], None, [])
    function = ast.FunctionDef(mistake.gradient, arguments, [*body[:-1], ast.Return(last.value)], [])
    texts = helpers.values() if used & helpers.keys() else ()
    return replace(mistake, new=ast.unparse(ast.fix_missing_locations(function)), helpers="\n\n\n".join(texts))
