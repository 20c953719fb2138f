"""Reads all files of a class in their normal form, in several limited processes: the texts are students'."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from grader.source.code_forms import FunctionForm, forms_of_files
from grader.source.reader import ReadingFailed, ReadingStopped, SourceReader

FILES_AT_ONCE = 24
"""Files per call of a reader: together they take a tenth of its time limit."""
FilesByStudent = Mapping[str, Mapping[str, bytes]]
"""{student: {"03_makemore_steps/backward.py": its content}}"""


@dataclass(frozen=True)
class ReadFile:
    """One file in its normal form; `texts` are its comments and strings, as (words, line)."""

    functions: Sequence[FunctionForm] = ()
    texts: Sequence[tuple[str, int]] = ()


@dataclass
class ReadClass:
    """All files of a class. `unreadable` are the (student, path) of files that are not Python, or took too long."""

    files: dict[str, dict[str, ReadFile]] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def read_class(
    files: FilesByStudent, steps: Collection[str], progress: Callable[[int], object] = lambda _: None
) -> ReadClass:
    """The files of all students; the same content is read once. `progress` is called with the number of files read.

    The parameters of the functions `steps` keep their names.
    """
    contents = list(dict.fromkeys(content for own in files.values() for content in own.values()))
    batches = [contents[at : at + FILES_AT_ONCE] for at in range(0, len(contents), FILES_AT_ONCE)]
    count = max(1, min(os.cpu_count() or 1, len(batches)))
    readers = [SourceReader() for _ in range(count)]
    read: dict[bytes, ReadFile | None] = {}

    def work(reader: SourceReader, own: Iterable[Sequence[bytes]]) -> None:
        for batch in own:
            read.update(zip(batch, read_batch(reader, batch, steps), strict=True))
            progress(len(batch))

    try:
        with ThreadPoolExecutor(count) as pool:
            for done in [pool.submit(work, reader, batches[at::count]) for at, reader in enumerate(readers)]:
                done.result()
    finally:
        for reader in readers:
            reader.close()
    found = ReadClass()
    for student, own in files.items():
        found.files[student] = {path: file for path, content in own.items() if (file := read[content]) is not None}
        found.unreadable += [(student, path) for path, content in own.items() if read[content] is None]
    return found


def read_batch(reader: SourceReader, batch: Sequence[bytes], steps: Collection[str]) -> list[ReadFile | None]:
    """One call for several files; where a limit is reached, one call for each of them."""
    try:
        return [as_read(data) for data in reader.call(forms_of_files, list(batch), sorted(steps))]
    except (ReadingStopped, ReadingFailed):
        if len(batch) == 1:
            return [None]
        return [file for content in batch for file in read_batch(reader, [content], steps)]


def as_read(data: dict[str, Any] | None) -> ReadFile | None:
    """What a reader sent: it comes from a process that read a student's text."""
    if data is None:
        return None
    functions = [FunctionForm(**function) for function in data["functions"]]
    return ReadFile(functions, [(str(words), int(line)) for words, line in data["texts"]])
