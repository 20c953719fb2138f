"""Where the kit's own files are: beside the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

_INSTALLED, _CHECKOUT = Path(__file__).parent / "templates", Path(__file__).parent.parent / "templates"
TEMPLATES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
