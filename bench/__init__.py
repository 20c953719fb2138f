"""Commands that measure and try: `python -m bench` lists them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""
