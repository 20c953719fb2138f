"""A student's own file, run in their own process as they would run it themselves: what it raises becomes a sentence.

Which line is at fault for a wrong result is found as well: the first that assigns a value that is wrong. Only for
commands that students type about their own work. A submission is never run this way: see grader/sandbox.
"""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import torch

from grader.calling.failures import is_stub_error, own_line, safe_text
from grader.errors import UserError
from grader.source.parsing import parse_text
from grader.source.unparsed import cause_of


class OwnFileError(UserError):
    """The file, or one of its functions, raised; the text names the student's own line."""


class NotWritten(OwnFileError):
    """`function` is still a stub, or is not there at all."""

    def __init__(self, function: str, message: str) -> None:
        super().__init__(message)
        self.function = function


class OwnFile:
    """The module of the file at `path`; its neighbours can be imported by it. Raises OwnFileError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = str(path.resolve())
        self.text = self._in_sentences("", lambda: path.read_bytes().decode("utf-8"))
        self._module = ModuleType(path.stem)
        self._module.__file__ = self._file
        sys.modules[path.stem] = self._module
        if str(path.resolve().parent) not in sys.path:
            sys.path.append(str(path.resolve().parent))  # last: a file called torch.py stands in for nothing
        linecache.checkcache(self._file)
        self._in_sentences(
            "", lambda: exec(compile(self.text, self._file, "exec", dont_inherit=True), self._module.__dict__)
        )

    def has(self, name: str) -> bool:
        """Whether the file defines a function of this name."""
        return callable(getattr(self._module, name, None))

    def call(self, name: str, *arguments: Any) -> Any:
        """The function's result. Raises NotWritten or OwnFileError; a KeyboardInterrupt stays one."""
        function = getattr(self._module, name, None)
        if not callable(function):
            raise NotWritten(name, f"There is no function `{name}` in {self.path}.")
        return self._in_sentences(name, lambda: function(*arguments))

    def call_watched(self, name: str, look: Callable[[Mapping[str, Any]], None], *arguments: Any) -> Any:
        """Calls the function; `look` gets its local variables before each of its lines, and at its end."""
        code = getattr(getattr(self._module, name, None), "__code__", None)

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if frame.f_code is not code:
                return None
            if event in ("line", "return"):
                look(frame.f_locals)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return self.call(name, *arguments)
        finally:
            sys.settrace(before)

    def _in_sentences(self, name: str, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except (Exception, SystemExit) as error:
            raise self._in_words(name, error) from None

    def _in_words(self, name: str, error: BaseException) -> OwnFileError:
        kind, text = type(error).__name__, safe_text(str, error)
        line, innermost = own_line(error.__traceback__, [self._file])
        if is_stub_error(error) and innermost == self._file:
            function = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
            return NotWritten(function, f"`{function}` is not written yet in {self.path}.")
        if isinstance(error, SyntaxError) and error.filename == self._file:
            line, text = cause_of("".join(linecache.getlines(self._file)), error.lineno) or (error.lineno, error.msg)
        elif isinstance(error, SystemExit):
            kind, text = "It ended the program", f"SystemExit, code {safe_text(repr, error.code)}"
        where = f"{self.path}, line {line}" if line else str(self.path)
        quoted = linecache.getline(self._file, line).strip() if line else ""
        return OwnFileError(
            f"{where}{f', in `{name}`' if name else ''}: {kind}{f': {text}' if text else ''}"
            + (f"\n    {quoted}" if quoted else "")
        )


class Blame(NamedTuple):
    """A line of the student's file and the variable that it assigns; "" where the whole function is meant."""

    line: int
    variable: str = ""


class VariableWatch:
    """Looks at a function's local variables line by line: which of those in `expected` never had that value?

    A value may be right at one time only: before it is overwritten in place, or after it was completed in place. A name
    with a tensor of another shape may stand for something else, so it does not count.
    """

    def __init__(
        self, expected: Mapping[str, torch.Tensor], agrees: Callable[[torch.Tensor, torch.Tensor], bool]
    ) -> None:
        self._expected, self._agrees = expected, agrees
        self._looked: dict[str, tuple[int, int]] = {}
        self._right: set[str] = set()

    def look(self, variables: Mapping[str, Any]) -> None:
        for name in self._expected.keys() & variables.keys() - self._right:
            found, true = variables[name], self._expected[name]
            if not isinstance(found, torch.Tensor) or found.shape != true.shape:
                continue
            version = (id(found), found._version)
            if self._looked.get(name) != version:
                self._looked[name] = version
                if self._agrees(found.detach(), true):
                    self._right.add(name)

    @property
    def wrong(self) -> set[str]:
        return self._looked.keys() - self._right


def blamed_line(text: str, function: str, wrong: Collection[str] = ()) -> Blame | None:
    """The first line in `function` that assigns a variable in `wrong`, else the line of the function's definition.

    None where the text has no such function.
    """
    tree = parse_text(text)
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef)] if tree is not None else []
    node = next((node for node in reversed(definitions) if node.name == function), None)
    if node is None:
        return None
    stored = [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    lines = sorted((each.lineno, each.id) for each in stored if each.id in wrong)
    return Blame(*lines[0]) if lines else Blame(node.lineno)
