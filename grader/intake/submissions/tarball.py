"""A tar's bytes, compressed or not: never more than the caps allow, however the archive was made.

tarfile decompresses hundreds of megabytes within one call. tar_entries.py reads the entries.
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

from grader.intake.submissions.file_kinds import open_regular
from grader.intake.submissions.unpacking import CHUNK_BYTES, MIB, ArchiveRefused, Caps, Clock

MAX_AT_ONCE = MIB
STREAMED_AT_LEAST = 8 * MIB
MAX_STREAMS = 10_000  # parallel packers make a stream for each megabyte or less
MAX_XZ_MEMORY = 80 * MIB  # what `xz -9` needs to unpack, and a little more


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class TarStream:
    """A tar's bytes from the first to the last. Raises ArchiveRefused at a cap, tarfile.ReadError at an early end."""

    def __init__(self, source: Readable, caps: Caps, archive_bytes: int, clock: Clock) -> None:
        self._source, self._clock = source, clock
        self._most_headers = caps.headers
        self._most = int(min(caps.streamed, max(STREAMED_AT_LEAST, caps.ratio * archive_bytes)))
        self.position = self._headers = 0

    def header(self, size: int) -> bytes:
        """The next `size` bytes of headers, fewer at the end."""
        self._headers += size
        if size > MAX_AT_ONCE or self._headers > self._most_headers:
            raise ArchiveRefused("The archive's own headers are too large: pack ordinary files.")
        return self._read(size)

    def content(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes in pieces. It does not count them: writing does."""
        while size:
            data = self._read(min(size, CHUNK_BYTES))
            if not data:
                raise tarfile.ReadError("it ends too early")
            size -= len(data)
            yield data

    def skip_to(self, position: int) -> None:
        if position < self.position:
            raise tarfile.ReadError("its parts are out of order")
        for _ in self.content(position - self.position):
            pass

    def _read(self, size: int) -> bytes:
        self._clock.enforce()
        pieces = []
        while size > 0 and (data := self._source.read(size)):
            pieces.append(data)
            size -= len(data)
            self.position += len(data)
            if self.position > self._most:
                raise ArchiveRefused(
                    f"The archive unpacks to more than {self._most:,} bytes: submit the lesson's folder only."
                )
        return b"".join(pieces)


class Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Decompressed:
    """The bytes of compressed streams one after another; each call reads, makes and takes a bounded amount.

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
            self._clock.enforce()
            if self._decompressor.eof:
                rest = self._decompressor.unused_data or self._file.read(CHUNK_BYTES)
                if not rest.startswith(self._magic[: len(rest)]) or not rest:
                    return b""  # what follows the last stream is padding
                self._streams += 1
                if self._streams > MAX_STREAMS:
                    raise ArchiveRefused(f"The archive is made of more than {MAX_STREAMS:,} compressed pieces.")
                self._decompressor, self._input = self._new(), rest
            piece = self._input or (self._file.read(CHUNK_BYTES) if self._needs_input else b"")
            data = self._decompressor.decompress(piece, size)
            self._input = getattr(self._decompressor, "unconsumed_tail", b"")
            if data:
                return data
            if not piece and self._needs_input and not self._decompressor.eof:
                raise EOFError("it ends too early")

    @property
    def _needs_input(self) -> bool:
        return getattr(self._decompressor, "needs_input", True)


DECOMPRESSORS: dict[bytes, Callable[[], Decompressor]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_XZ_MEMORY),
}
"""{the first bytes of a compressed file: what makes its decompressor}"""


@contextmanager
def open_tar(path: Path, caps: Caps, clock: Clock) -> Iterator[TarStream]:
    """The tar at `path`, compressed or not. The file's first bytes decide, not its suffix."""
    with open(path, "rb", opener=open_regular) as file:
        first = file.read(6)
        file.seek(0)
        magic = next(filter(first.startswith, DECOMPRESSORS), None)
        source: Readable = file if magic is None else Decompressed(file, DECOMPRESSORS[magic], magic, clock)
        yield TarStream(source, caps, path.stat().st_size, clock)
