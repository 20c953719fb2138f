"""A tar's entries (ustar, GNU's long names and pax), read in linear time.

tarfile reads a header of any claimed length at once, and searches extended headers with regular expressions that take
quadratic time: half a megabyte of digits keeps it busy for minutes.
https://pubs.opengroup.org/onlinepubs/9799919799/ (pax)
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from grader.intake.submissions.tarball import TarStream

BLOCK = 512
CHECKSUM = slice(148, 156)
REGULAR = (b"0", b"\0", b"7")
EXTENDED = (b"x", b"X", b"g", b"L", b"K")
WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders
MAX_TAR_DIGITS = 20  # of a record's length, and of a size


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
        space = data.find(b" ", at, at + MAX_TAR_DIGITS)
        digits = data[at:space] if space > 0 else b""
        end = at + int(digits) if digits.isdigit() else 0
        equals = data.find(b"=", space, end)
        if not (space < equals < end <= len(data)) or data[end - 1 : end] != b"\n":
            raise tarfile.ReadError("an extended header is damaged")
        key, value = data[space + 1 : equals], data[equals + 1 : end - 1]
        if key == b"size" and (not value.isdigit() or len(value) > MAX_TAR_DIGITS):
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
