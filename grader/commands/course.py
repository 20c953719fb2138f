"""The commands for authors of a course: verify, stubs, figures, new-lesson, release."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from grader.commands.checks import find_course, open_course
from grader.commands.command_line import FOLDER, argument, fail, option
from grader.commands.console import ProgressBar, console_for, print_remarks, say
from grader.commands.options import AssignmentPath, CourseFolder, LessonNames, LessonWords
from grader.errors import UserError, write_errors
from grader.gradebook.assignment.config import read_assignment
from grader.lesson.lesson import Course, Lesson
from grader.results.wording import count_text

LEAKS = 1


def verify(
    lessons: LessonWords,
    questions: Annotated[bool, option("--questions", "Prove the questions alone, and that no public file has a key.")],
    course: CourseFolder,
) -> None:
    """Checks that a course grades correctly: every lesson, or those that you name.

    Every solution must get 100 %, and every stub 0 %. All variants must be right, and every known mistake must be found
    and named. Exit status 1: something is wrong.

    Examples:
      grade verify 03 07               two lessons, through workers and hidden suites
    """
    from grader.authoring.verify import verify_course  # torch comes with it

    loaded, chosen = open_course(course, lessons)
    names, wrong = [lesson.name for lesson in chosen], 0
    for name, report in verify_course(loaded.root, names, os.cpu_count() or 1, questions):
        wrong += len(report.problems)
        say(f"{name}: {report.summary}")
        for problem in report.problems:
            say(*f"  ✗ {problem}".splitlines())
    say("All as it should be." if not wrong else f"{count_text(wrong, 'error')}: the lines with ✗ above.")
    raise SystemExit(1 if wrong else 0)


def stubs(
    lessons: LessonWords,
    check: Annotated[bool, option("--check", "Write nothing. Exit with 1 if a stub is out of date.")],
    bare: Annotated[bool, option("--bare", "Gradients with empty parentheses, which is harder.")],
    course: CourseFolder,
) -> None:
    """Writes the stubs of the lessons from solutions/: of all, or of those that you name.

    A stub, exercises/NN_name/backward.py, is the solution without the answers between the markers. Its copy, .stub, is
    what `dojo reset` restores. A bare stub stays bare until you delete .stub. Next to them, .known gets digests of what
    each known mistake gives on public problems and in examples: by them, `dojo check` names it.

    Examples:
      grade stubs --bare 03    students choose what each gradient is computed from; the hidden suite is the same
    """
    from grader.lesson.stub import published_stub
    from grader.verdict.explain.known import known_file

    def files(lesson: Lesson) -> dict[Path, str]:
        both = dict.fromkeys((lesson.exercise / "backward.py", lesson.pristine), published_stub(lesson, bare or None))
        return both if check else both | known_file(lesson)  # it takes some seconds; `grade verify` checks it

    write_or_check(course, lessons, files, check, "grade stubs")


def figures(
    lessons: LessonWords,
    check: Annotated[bool, option("--check", "Write nothing. Exit with 1 if a figure would differ.")],
    course: CourseFolder,
) -> None:
    """Draws the lessons' figures as SVG files in exercises/: the computational graph and those of figures.py.

    The same lesson gives the same file on every machine.

    Examples:
      grade figures 03         lesson 03, after a change to its forward.py or figures.py
    """
    from grader.authoring.figures.graph import figures_of

    def files(lesson: Lesson) -> dict[Path, str]:
        return {lesson.exercise / name: text for name, text in figures_of(lesson).items()}

    write_or_check(course, lessons, files, check, "grade figures")


def write_or_check(
    course: Path | None, names: Sequence[str], files: Callable[[Lesson], dict[Path, str]], check: bool, command: str
) -> None:
    """Write those `files` of the lessons that differ, or with `check` end with 1 where there are any."""
    with ProgressBar(console_for(stderr=True)) as bar:
        lessons = bar.track(open_course(course, names)[1])
        wanted = {path: text for lesson in lessons for path, text in files(lesson).items()}
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_bytes() != text.encode()]
    if check and stale:
        fail(f"{', '.join(map(str, stale))}: not what `{command}` writes. Run it and commit the result.", 1)
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
        say(f"wrote {path}")
    say(f"{len(stale)} written." if stale else "Everything is up to date.")


def new_lesson(
    name: Annotated[str, argument("NAME")],
    functions: Annotated[bool, option("--functions", "For functions and classes that are checked by what they do.")],
    course: CourseFolder,
) -> None:
    """Writes the two folders of a new lesson: exercises/NAME and solutions/NAME, with a small example to replace.

    Examples:
      grade new-lesson 23_group_norm
    """
    from grader.authoring.lesson_sources import write_lesson

    title = name.partition("_")[2].replace("_", " ").capitalize()
    for path in write_lesson(find_course(course), name, title, "functions" if functions else "steps"):
        say(f"wrote {path}")
    other = "" if course is None else f" --course {shlex.quote(str(course))}"
    say(f"Fill them in as docs/authoring.md says, then: grade stubs{other} && grade verify {name}{other}")


def release(
    folder: Annotated[Path, argument("DIR", FOLDER)],
    lesson_names: LessonNames,
    assignment_file: AssignmentPath,
    answers: Annotated[bool, option("--answers", "With the model answers to the questions, after the deadline.")],
    url: Annotated[str | None, option("--url URL", "Where DIR will be on the web: with a page, index.html.")],
    course: CourseFolder,
) -> None:
    """Writes what students get, as a folder and as a zip: lessons with untouched stubs and as notebooks, and `dojo`.

    The command compares the content of every file with everything in solutions/: answers, hidden suites, known
    mistakes and variants, also in another layout or under other names. If it finds anything, it writes nothing and
    ends with exit status 1.

    Examples:
      grade release hw2 --assignment hw2.toml  the lessons of an assignment, with its rows and due date
      grade release course --url https://github.com/OWNER/REPO/tree/main/course
                                               a page with links to Colab, where notebooks install the kit from there
    """
    from grader.authoring.lesson_review import unwritten_places  # torch comes with these
    from grader.authoring.release.engine import write_zip
    from grader.authoring.release.kit import kit_of, published_answers
    from grader.authoring.release.website import KIT_ZIP, website_at

    website = website_at(url) if url else None
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} exists and is not empty: name a new folder, or remove this one first.")
    loaded, lessons = open_course(course, lesson_names)
    every, assignment = list(loaded.lessons.values()), None
    if missing := [lesson.solution for lesson in every if not lesson.solution.is_dir()]:
        raise UserError(f"{missing[0]} is missing: without the secrets it cannot be checked that none is given away.")
    if assignment_file is not None:
        assignment = read_assignment(assignment_file, every)
        names = [*assignment.rows, *(lesson.name for lesson in lessons if lesson_names)]
        lessons = [loaded.lessons[each] for each in dict.fromkeys(names)]
    if unwritten := [sentence for lesson in lessons for sentence in unwritten_places(lesson)]:
        fail("\n".join([*unwritten, "nothing was written."]))
    kit, model_answers = kit_of(lessons, assignment, website), published_answers(lessons) if answers else {}
    refuse_leaks(loaded, kit, model_answers)
    kit |= model_answers
    name = folder.resolve().name
    archive = (folder if folder.name else folder.resolve()).with_name(f"{name}.zip")
    with write_errors(folder):
        write_zip(archive, {f"{name}/{inside}": content for inside, content in kit.items()})
        shutil.unpack_archive(archive, folder.resolve().parent)
        if website:
            shutil.copyfile(archive, folder / KIT_ZIP)
    secret_files = sum(1 for lesson in every for _ in lesson.solution.rglob("*.py"))
    say(
        f"{count_text(len(lessons), 'lesson')}, {count_text(len(kit), 'file')}, compared with "
        f"{count_text(secret_files, 'secret file')}: nothing is given away."
    )
    say(f"The kit: {folder} and {archive}")
    if website:
        say(f"The course: {folder / 'index.html'}, for {url}")
    if website and website.in_colab is None:
        say("Colab opens notebooks from GitHub only, so the page offers them for download: see docs/ci.md.")


def refuse_leaks(course: Course, kit: dict[str, bytes], model_answers: dict[str, bytes]) -> None:
    """Print what of the course's secrets the files reveal, and end the program where there is anything.

    Model answers may reveal what the files with the model answers and the questions' keys say, and nothing else. Those
    of graded questions are made from the keys, and a key may be a line of a right answer.
    """
    from grader.authoring.release.kit import GRADED, MODEL_ANSWERS_FILE
    from grader.authoring.release.leaks import leaks, secrets_of
    from grader.questions.question import QUESTIONS_FILE

    secrets = secrets_of(course)
    written = {name: content for name, content in model_answers.items() if not name.endswith(GRADED)}
    found = [*leaks(kit, secrets), *leaks(written, secrets, (MODEL_ANSWERS_FILE, QUESTIONS_FILE))]
    print_remarks(found)
    if found:
        it, count = "it" if len(found) == 1 else "them", count_text(len(found), "leak")
        fail(f"nothing was written: {count}. Take {it} out of exercises/ and try again.", LEAKS)
