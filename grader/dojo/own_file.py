"""A student's own file, run in their own process as they would run it themselves: what it raises becomes a sentence.

Only for commands that students type about their own work. A submission is never run this way: see grader/sandbox.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.calling.failures import failure
from grader.errors import UserError


class OwnFileError(UserError):
    """The file, or one of its functions, raised; the text names the student's own line."""


class NotWritten(OwnFileError):
    """`function` is still a stub, or is not there at all."""

    def __init__(self, function: str, message: str) -> None:
        super().__init__(message)
        self.function = function


class OwnFile:
    """The module of the file at `path`, which can import the files next to it. Raises OwnFileError."""

    def __init__(self, path: Path) -> None:
        self.path, self._file = path, str(path.resolve())
        text = self._in_sentences("", lambda: path.read_bytes().decode("utf-8"))
        self._module = ModuleType(path.stem)
        self._module.__file__ = self._file
        sys.modules[path.stem] = self._module
        if str(path.resolve().parent) not in sys.path:
            sys.path.append(str(path.resolve().parent))  # last: a file called torch.py stands in for nothing
        linecache.checkcache(self._file)
        self._in_sentences(
            "", lambda: exec(compile(text, self._file, "exec", dont_inherit=True), self._module.__dict__)
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

    def _in_sentences(self, name: str, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except (Exception, SystemExit) as error:
            raise self._in_words(name, error) from None

    def _in_words(self, name: str, error: BaseException) -> OwnFileError:
        failed = failure(error, name, [self._file])
        if failed.outcome == "todo":
            function = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
            return NotWritten(function, f"`{function}` is not written yet in {self.path}.")
        where = f"{self.path}, line {failed.line}" if failed.line else str(self.path)
        quoted = linecache.getline(self._file, failed.line).strip() if failed.line else ""
        said = f"{where}{f', in `{name}`' if name else ''}: {failed.message}"
        return OwnFileError(f"{said}\n    {quoted}" if quoted else said)
