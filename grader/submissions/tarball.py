"""A tar's bytes on the way through: decompressed piece by piece, forward only, never more than the caps say.

tarfile reads a header of whatever length it claims at once, and its own streams decompress ten kilobytes to hundreds
of megabytes; here both are bounded.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from grader.submissions.unpacking import CHUNK, MIB, ArchiveRefused, Caps

MOST_AT_ONCE = MIB
MOST_XZ_MEMORY = 80 * MIB  # what `xz -9` needs to unpack, and a little more


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Forward:
    """What tarfile wants of a file, without a way back. Raises ArchiveRefused at a cap."""

    def __init__(self, source: Readable, caps: Caps) -> None:
        self._source, self._caps = source, caps
        self._place = self._headers = 0
        self._in_content = False

    @contextmanager
    def content(self) -> Iterator[None]:
        """What is read inside is a file's bytes, and counted by whoever writes them."""
        self._in_content = True
        try:
            yield
        finally:
            self._in_content = False

    def tell(self) -> int:
        return self._place

    def read(self, size: int) -> bytes:
        self._headers += 0 if self._in_content else size
        if size > MOST_AT_ONCE or self._headers > self._caps.headers:
            raise ArchiveRefused("The archive's own headers are too large: pack ordinary files.")
        return self._take(size)

    def seek(self, place: int) -> None:
        if place < self._place:
            raise tarfile.ReadError("its parts are out of order")
        while self._place < place:
            if not self._take(min(CHUNK, place - self._place)):
                raise tarfile.ReadError("it ends too early")

    def _take(self, size: int) -> bytes:
        pieces = []
        while size > 0 and (data := self._source.read(size)):
            pieces.append(data)
            size -= len(data)
            self._place += len(data)
            if self._place > self._caps.streamed:
                raise ArchiveRefused(
                    f"The archive unpacks to more than {self._caps.streamed:,} bytes: hand in the lesson's folder only."
                )
        return b"".join(pieces)


class Xz:
    """One .xz stream, with a cap on the memory that its dictionary takes. Raises lzma.LZMAError."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_XZ_MEMORY)

    def read(self, size: int, /) -> bytes:
        while not self._decompressor.eof:
            more = self._file.read(CHUNK) if self._decompressor.needs_input else b""
            if not more and self._decompressor.needs_input:
                raise EOFError("it ends too early")
            if data := self._decompressor.decompress(more, size):
                return data
        return b""


@contextmanager
def opened(path: Path, caps: Caps) -> Iterator[Forward]:
    """The tar inside, whatever its suffix says it is compressed with."""
    with path.open("rb") as file:
        magic = file.read(6)
        file.seek(0)
        source: Readable = file
        if magic.startswith(b"\x1f\x8b"):
            source = gzip.GzipFile(fileobj=file)
        elif magic.startswith(b"BZh"):
            source = bz2.BZ2File(file)
        elif magic == b"\xfd7zXZ\0":
            source = Xz(file)
        yield Forward(source, caps)
