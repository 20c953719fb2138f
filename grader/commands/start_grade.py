"""The program `grade`: Ctrl-C while its modules are loaded is a sentence, too."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from grader.commands.grade import main as grade  # half a second

        grade()
    except KeyboardInterrupt:
        print("grade: stopped.", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
