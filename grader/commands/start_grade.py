"""The program `grade`, also as `python -P -m grader.commands.start_grade`, which workflows of `grade export` type."""

from grader.commands.grade import main

if __name__ == "__main__":
    main()
