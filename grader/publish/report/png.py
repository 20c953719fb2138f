"""Small pictures of few colours as PNG, in a data URI."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity, each from 0 to 255."""
Matrix = Sequence[Sequence[float]]


def png(cells: Sequence[Sequence[int]], palette: Sequence[Colour]) -> str:
    """The picture of `cells`, rows of numbers of colours in `palette`, as a data URI."""
    height, width = len(cells), len(cells[0])
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(bytes(colour[:3]) for colour in palette)),
        (b"tRNS", bytes(colour[3] for colour in palette)),
        (b"IDAT", zlib.compress(b"".join(b"\0" + bytes(line) for line in cells), 9)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return "data:image/png;base64," + base64.b64encode(data).decode()
