"""The program `grade`: a run's slowest part is started before the command line is read."""

from __future__ import annotations

import sys

from grader.commands import early_nursery


def main() -> None:
    early_nursery.start_for(sys.argv[1:])
    try:
        from grader.commands.grade import main as grade  # a tenth of a second, while torch loads

        grade()
    except KeyboardInterrupt:  # before the command could take care of it
        print("grade: stopped.", file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        early_nursery.close_nursery()


if __name__ == "__main__":
    main()
