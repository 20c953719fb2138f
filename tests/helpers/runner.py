"""GitHub's runner, as far as it reads workflow commands from a step's output: written from how it behaves.

A command is `::name properties::data` at the start of a line (spaces before it count as nothing), or the older
`##[name properties]data` anywhere in one. After `::stop-commands::token` nothing is one but `::token::`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

KNOWN = {"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "stop-commands", "set-env", "add-path"}
MODERN = re.compile(r"\s*::(?P<name>[^\s:]+)(?P<properties> .*?)?::(?P<data>.*)", re.DOTALL)
OLD = re.compile(r"##\[(?P<name>[^\s\]]+)(?P<properties> [^\]]*)?\](?P<data>.*)", re.DOTALL)
UNESCAPED = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


@dataclass
class Command:
    name: str
    properties: dict[str, str]
    data: str


@dataclass
class Runner:
    """`commands` are those obeyed, `shown` the lines that are only printed."""

    commands: list[Command] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    _token: str | None = None

    def read(self, output: str) -> Runner:
        for line in re.split(r"\r\n|\n|\r", output):
            self._line(line)
        return self

    def _line(self, line: str) -> None:
        found = MODERN.match(line) or OLD.search(line)
        name = found["name"].lower() if found else ""
        if found and self._token is not None and name == self._token:
            self._token = None
        elif found and self._token is None and name == "stop-commands":
            self._token = found["data"]
        elif found and self._token is None and name in KNOWN:
            pairs = (pair.partition("=") for pair in (found["properties"] or "").strip().split(",") if pair)
            properties = {key: unescaped(value) for key, _, value in pairs}
            self.commands.append(Command(name, properties, unescaped(found["data"])))
        else:
            self.shown.append(line)


def unescaped(text: str) -> str:
    for escape, character in UNESCAPED.items():
        text = text.replace(escape, character)
    return text.replace("%25", "%")
