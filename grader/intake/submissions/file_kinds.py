"""Which files can be graded, by their names: browsers, mail programs and operating systems add to the suffix."""

from __future__ import annotations

import re
from pathlib import PurePath

NOTEBOOK = ".ipynb"
ADDED = r"(?:\s*\(\d+\)|\.txt|\.text|\.download|\.json)*"
"""What a download may add: backward.py.txt, backward.py (1), makemore.ipynb.json."""
DISGUISED = re.compile(r".*?(\.pyw?|\.ipynb)" + ADDED, re.IGNORECASE | re.DOTALL)
COPY = re.compile(r"(?:[ _-]*(?:\(\d+\)|copy|copie|kopie|copia)(?:[ _-]*\d+)?|[ _-]*- copy)+", re.IGNORECASE)
"""What a browser or an operating system adds to the name of a second file: backward (1).py, backward - Copy.py."""
LONGEST = 255


def suffix_of(path: PurePath) -> str:
    """ ".py" or ".ipynb" for files that may be such, else the suffix in small letters."""
    name = path.name[-LONGEST:]
    found = DISGUISED.fullmatch(name)
    if found is None:
        return path.suffix.lower()
    return NOTEBOOK if found[1].lower() == NOTEBOOK else ".py"


def stem_of(path: PurePath) -> str:
    """The name without the suffix and what was added to it: "backward" of backward.py.txt."""
    found = DISGUISED.fullmatch(path.name[-LONGEST:])
    return path.name[: found.start(1) - found.end()] if found else path.stem


def is_copy(path: PurePath, of: str) -> bool:
    """Whether a name is that of a copy: "backward (1)" of "backward"."""
    stem = stem_of(path).lower()
    return stem.startswith(of) and bool(COPY.fullmatch(stem.removeprefix(of)))
