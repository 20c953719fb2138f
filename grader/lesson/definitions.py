"""Where a row is defined in a student's file."""

from __future__ import annotations

from functools import lru_cache

from grader.lesson.config import Item
from grader.source.parsing import parse_text
from grader.source.syntax import DefinitionNode

parsed = lru_cache(maxsize=1)(parse_text)  # a file has forty rows


def definitions_of(item: Item, source: bytes) -> list[DefinitionNode]:
    """The row's function or class, then its method; those that are there, and none of a text that is not Python."""
    tree = parsed(source.decode("utf-8-sig", "replace"))
    found, inside = list[DefinitionNode](), tree.body if tree is not None else []
    for name in filter(None, (item.function, item.method)):
        found += [each for each in inside if isinstance(each, DefinitionNode) and each.name == name][-1:]
        inside = found[-1].body if found else []
    return found
