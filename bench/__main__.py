"""The commands that print the figures of docs/measured.md.

python -m bench                    this list
python -m bench cold --turns 3     one of them; --help says more
python -m bench --write [NAME]...  run the commands of docs/measured.md and write what they print last into their rows
"""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
from collections.abc import Mapping, Sequence

from bench import ROOT

BENCHES: Mapping[str, Sequence[str]] = {
    **{name: (name,) for name in ("cold", "fork", "watch", "growth")},
    **{name: (name,) for name in ("cluster", "compare", "peers")},
    "verdicts": ("seeds", "float32"),
    "mutants": ("run",),
    "no_points": ("gradients", "checks"),
    "attacks": ("files", "values", "sent"),
    **{name: (name,) for name in ("numerical", "defence")},
}
"""{name: its modules}: the second word on the command line chooses one, by default the first."""


def module_of(name: str, part: str) -> str:
    return name if part == name else f"{name}.{part}"


def listed() -> str:
    """Each command with the first line of its module's text."""
    lines = []
    for name, parts in BENCHES.items():
        for part in parts:
            path = ROOT / "bench" / f"{module_of(name, part).replace('.', '/')}.py"
            about = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]
            typed = name if part == parts[0] else f"{name} {part}"
            lines.append(f"  {typed:22} {about}")
    return "\n".join(lines)


def main() -> None:
    name, *rest = sys.argv[1:] or [""]
    if name == "--write":
        sys.exit(importlib.import_module("bench.write").main(rest))
    if name not in BENCHES:
        print(f"{(__doc__ or '').strip()}\n\n{listed()}")
        raise SystemExit(0 if name in ("", "-h", "--help") else f"\nThere is no {name!r}.")
    parts = BENCHES[name]
    part = rest.pop(0) if rest and rest[0] in parts else parts[0]
    module = importlib.import_module(f"bench.{module_of(name, part)}")
    typed = name if part == parts[0] else f"{name} {part}"
    parser = argparse.ArgumentParser(
        f"python -m bench {typed}", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sys.argv[1:] = rest
    sys.exit(module.main(parser))


if __name__ == "__main__":
    main()
