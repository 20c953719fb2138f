"""A tar, compressed or not: its bytes, never more than the caps allow, and its entries, read in linear time.

Entries are those of ustar, GNU's long names and pax. tarfile reads a header of any claimed length at once, decompresses
hundreds of megabytes within one call, and searches extended headers with regular expressions that take quadratic time:
half a megabyte of digits keeps it busy for minutes. https://pubs.opengroup.org/onlinepubs/9799919799/ (pax)
"""

from __future__ import annotations

import bz2
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from grader.intake.submissions.file_kinds import open_regular
from grader.intake.submissions.unpacking import CHUNK, MIB, ArchiveRefused, Caps, Clock

MOST_AT_ONCE = MIB
STREAMED_AT_LEAST = 8 * MIB
MOST_STREAMS = 10_000  # parallel packers make a stream for each megabyte or less
MOST_XZ_MEMORY = 80 * MIB  # what `xz -9` needs to unpack, and a little more


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
        if size > MOST_AT_ONCE or self._headers > self._most_headers:
            raise ArchiveRefused("The archive's own headers are too large: pack ordinary files.")
        return self._read(size)

    def content(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes in pieces. It does not count them: writing does."""
        while size:
            data = self._read(min(size, CHUNK))
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


DECOMPRESSORS: dict[bytes, Callable[[], Decompressor]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_XZ_MEMORY),
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


BLOCK = 512
CHECKSUM = slice(148, 156)
REGULAR = (b"0", b"\0", b"7")
EXTENDED = (b"x", b"X", b"g", b"L", b"K")
WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders
MOST_DIGITS = 20  # of a record's length, and of a size


@dataclass(frozen=True)
class TarEntry:
    """What a header says. `size` is in bytes."""

    name: bytes
    size: int
    regular: bool
    folder: bool


def read_entries(stream: TarStream) -> Iterator[TarEntry]:
    """Each entry while the stream is at its content, of which the caller may read any part.

    Raises tarfile.ReadError for what is not a tar, ArchiveRefused at a cap.
    """
    common: dict[bytes, bytes] = {}  # of global headers, for all entries that follow
    own: dict[bytes, bytes] = {}
    extended = False
    while (header := read_header(stream, extended)) is not None:
        size, kind = header_number(header[124:136]), header[156:157]
        extended = kind in EXTENDED
        if extended:
            data = stream.header(padded_size(size))
            if len(data) < size:
                raise tarfile.ReadError("it ends too early")
            if kind == b"L":
                own[b"path"] = data[:size].partition(b"\0")[0]
            elif kind != b"K":
                (common if kind == b"g" else own).update(pax_records(data[:size]))
            continue
        size = int(own.get(b"size") or common.get(b"size") or size)
        name = own.get(b"path") or common.get(b"path") or name_in(header)
        plain = kind in REGULAR and b"sparse" not in own and b"sparse" not in common
        folder = kind == b"5" or (plain and name.endswith(b"/"))
        after = stream.position + (0 if kind in WITHOUT_CONTENT else padded_size(size))
        yield TarEntry(name, size, plain and not folder, folder)
        stream.skip_to(after)
        own = {}


def pax_records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The path, the size and `sparse` of records "LENGTH KEY=VALUE\\n". Raises tarfile.ReadError."""
    at = 0
    while at < len(data) and data[at]:
        space = data.find(b" ", at, at + MOST_DIGITS)
        digits = data[at:space] if space > 0 else b""
        end = at + int(digits) if digits.isdigit() else 0
        equals = data.find(b"=", space, end)
        if not (space < equals < end <= len(data)) or data[end - 1 : end] != b"\n":
            raise tarfile.ReadError("an extended header is damaged")
        key, value = data[space + 1 : equals], data[equals + 1 : end - 1]
        if key == b"size" and (not value.isdigit() or len(value) > MOST_DIGITS):
            raise tarfile.ReadError("a size is no number")
        if key in (b"path", b"size"):
            yield key, value
        elif key.startswith(b"GNU.sparse."):
            yield b"sparse", b""
        at = end


def read_header(stream: TarStream, extended: bool) -> bytes | None:
    """The next header's block, None at the end; `extended`: an extended header came before. Raises ReadError."""
    first = stream.position == 0
    block = stream.header(BLOCK)
    if extended and not block.strip(b"\0"):
        raise tarfile.ReadError("an extended header belongs to no entry")
    if not block and first:
        raise tarfile.ReadError("empty file")
    if not block.strip(b"\0"):
        return None
    if len(block) < BLOCK:
        raise tarfile.ReadError("it ends too early")
    signed = sum(block) - sum(block[CHECKSUM]) + 8 * ord(" ")
    outside = block[: CHECKSUM.start] + block[CHECKSUM.stop :]
    if header_number(block[CHECKSUM]) not in (signed, signed - 256 * sum(byte > 127 for byte in outside)):
        raise tarfile.ReadError("a header is damaged, or it is no tar")
    return block


def name_in(header: bytes) -> bytes:
    """The name in a header's own fields. Only ustar has a prefix; GNU has times in its place."""
    name, prefix = (header[at : at + most].partition(b"\0")[0] for at, most in ((0, 100), (345, 155)))
    return prefix + b"/" + name if prefix and header[257:263] == b"ustar\0" else name


def header_number(text: bytes) -> int:
    """Octal digits, or GNU's bytes after 0x80. Raises tarfile.ReadError."""
    if text[0] == 0x80:
        return int.from_bytes(text[1:], "big")
    digits = text.partition(b"\0")[0].strip()
    try:
        return int(digits or b"0", 8)
    except ValueError:
        raise tarfile.ReadError("a header's number is damaged") from None


def padded_size(size: int) -> int:
    """`size` rounded up to whole blocks."""
    return -(-size // BLOCK) * BLOCK
