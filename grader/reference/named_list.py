"""Lists of values on a tape, such as one per layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from grader.reference.forward_errors import place_outside, update_error


class Recording(Protocol):
    def _record(self, name: str, value: Any) -> None: ...

    def _read(self, name: str) -> Any: ...


class NamedList:
    """A list of values on a tape, such as one per layer: `t.h[2]` is the value with the name `h[2]`."""

    def __init__(self, tape: Recording, name: str, values: Sequence[Any]) -> None:
        self._tape, self.name, self.members = tape, name, list[str]()
        for value in values:
            self.append(value)

    def append(self, value: Any) -> None:
        member = f"{self.name}[{len(self.members)}]"
        self._tape._record(member, value)
        self.members.append(member)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._tape._read(member) for member in self.members[index]]
        return self._tape._read(self.members[index])

    def __setitem__(self, index: int, value: Any) -> None:
        raise update_error(self.name, place_outside())

    def __len__(self) -> int:
        return len(self.members)
