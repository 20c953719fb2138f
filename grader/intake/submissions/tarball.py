"""A tar's bytes on the way through: decompressed piece by piece, forward only, never more than the caps say.

tarfile reads a header of whatever length it claims at once, and its own streams decompress ten kilobytes to hundreds
of megabytes; here both are bounded.
"""

from __future__ import annotations

import bz2
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from grader.intake.submissions.unpacking import CHUNK, MIB, ArchiveRefused, Caps, Clock

MOST_AT_ONCE = MIB
STREAMED_AT_LEAST = 8 * MIB
MOST_STREAMS = 10_000  # parallel packers make a stream for each megabyte or less
MOST_XZ_MEMORY = 80 * MIB  # what `xz -9` needs to unpack, and a little more


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Forward:
    """What tarfile wants of a file, without a way back. Raises ArchiveRefused at a cap."""

    def __init__(self, source: Readable, caps: Caps, archive_bytes: int, clock: Clock) -> None:
        self._source, self._caps, self._clock = source, caps, clock
        self._most = int(min(caps.streamed, max(STREAMED_AT_LEAST, caps.ratio * archive_bytes)))
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
        self._clock.check()
        pieces = []
        while size > 0 and (data := self._source.read(size)):
            pieces.append(data)
            size -= len(data)
            self._place += len(data)
            if self._place > self._most:
                raise ArchiveRefused(
                    f"The archive unpacks to more than {self._most:,} bytes: hand in the lesson's folder only."
                )
        return b"".join(pieces)


class Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Unpacked:
    """The bytes of compressed streams one after another, each call bounded in what it reads, makes and takes.

    Python's own classes skip any number of empty streams within one call. Raises EOFError, ArchiveRefused, and what
    the decompressor raises.
    """

    def __init__(self, file: IO[bytes], new: Callable[[], Decompressor], magic: bytes, clock: Clock) -> None:
        self._file, self._new, self._magic, self._clock = file, new, magic, clock
        self._decompressor = new()
        self._input = b""
        self._streams = 1

    def read(self, size: int, /) -> bytes:
        while True:
            self._clock.check()
            if self._decompressor.eof:
                rest = self._decompressor.unused_data or self._file.read(CHUNK)
                if not rest.startswith(self._magic[: len(rest)]) or not rest:
                    return b""  # what follows the last stream is padding
                self._streams += 1
                if self._streams > MOST_STREAMS:
                    raise ArchiveRefused(f"The archive is made of more than {MOST_STREAMS:,} compressed pieces.")
                self._decompressor, self._input = self._new(), rest
            piece = self._input or (self._file.read(CHUNK) if self._needs_input else b"")
            data = self._decompressor.decompress(piece, size)
            self._input = getattr(self._decompressor, "unconsumed_tail", b"")
            if data:
                return data
            if not piece and self._needs_input and not self._decompressor.eof:
                raise EOFError("it ends too early")

    @property
    def _needs_input(self) -> bool:
        return getattr(self._decompressor, "needs_input", True)


def new_lzma() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_XZ_MEMORY)


KINDS: dict[bytes, Callable[[], Decompressor]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": new_lzma,
}
"""{what a compressed file begins with: its decompressor}"""


@contextmanager
def opened(path: Path, caps: Caps, clock: Clock) -> Iterator[Forward]:
    """The tar inside, whatever its suffix says it is compressed with."""
    with path.open("rb") as file:
        magic = file.read(6)
        file.seek(0)
        found = next((kind for kind in KINDS if magic.startswith(kind)), None)
        source: Readable = file if found is None else Unpacked(file, KINDS[found], found, clock)
        yield Forward(source, caps, path.stat().st_size, clock)
