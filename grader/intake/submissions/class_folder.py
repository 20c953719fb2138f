"""Recognises what a path of the command line is: one submission, a class's folder, or a class's archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from grader.intake.submissions.archive import METADATA, archive_names, is_archive, unpack_class, without_suffix
from grader.intake.submissions.arrival import Arrival, NewFolder, SubmissionError
from grader.intake.submissions.classroom50 import from_checkouts
from grader.intake.submissions.downloads import (
    MOODLE_NAME,
    canvas_files,
    from_canvas,
    from_moodle,
    one_per_entry,
)
from grader.intake.submissions.file_kinds import CLUTTER, stem_of, suffix_of
from grader.intake.submissions.gradescope import SUBMISSION_NAME, from_gradescope
from grader.intake.submissions.lesson_names import is_only_lesson
from grader.intake.submissions.places import (
    KIT,
    LESSON,
    folders,
    gradable,
    holds_a_lesson,
    holds_lessons,
    holds_results,
    possible_submissions,
    unread_files,
)
from grader.intake.submissions.unpacking import ArchiveRefused
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE


def arrivals_at(
    given: Path,
    all_lessons: Sequence[Lesson],
    new_folder: NewFolder,
    alone: bool = True,
    is_a_student: Callable[[str], bool] = lambda name: False,
    code_page: Callable[[Path], str | None] = lambda path: None,
) -> list[Arrival]:
    """The submissions at `given`. Raises SubmissionError, OSError.

    An archive may be a class only if it is given `alone`. Of
    several archives each is one student's, who could otherwise choose, by the names inside, under whose name it is
    graded. For the same reason, a folder or an archive whose name `is_a_student`'s is that student's alone. `code_page`
    says in which one the names of a class's archive are.
    """
    if not given.exists():
        raise SubmissionError(
            f"{given} does not exist: give a submission, or a folder that holds one for each student."
        )
    path = given.resolve()  # the command line may name a link; a submission that is a link is refused
    if holds_results(path):
        raise SubmissionError(
            f"{given} contains the results of an earlier run, not submissions: name the folder or the archive with the "
            "submissions, and the results' folder after -o."
        )
    name = path.name if given.name in ("", ".", "..") else given.name
    student = name if path.is_dir() else without_suffix(Path(name))
    is_students = is_a_student(student)
    if path.is_dir() and not is_students and not is_one_submission(path, all_lessons):
        arrivals = in_class(path, new_folder)
        if not arrivals:
            raise SubmissionError(
                f"{given} holds no submissions: expected a folder for each student, "
                f"with NN_name/{BACKWARD_FILE} inside."
            )
        return arrivals
    if alone and not is_students and path.is_file() and is_archive(path):
        arrivals = in_class_archive(given, all_lessons, new_folder, code_page)
        if arrivals:
            return arrivals
    return [Arrival(student, path, str(path), given=True)]


def is_one_submission(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder is one submission: it contains a lesson, or it is a student's kit with lessons in exercises/.

    Or all that it contains are folders and files whose names say lessons, and nobody's name.
    """
    kit = folder / KIT
    if holds_a_lesson(folder, lessons) or (kit.is_dir() and holds_a_lesson(kit, lessons)):
        return True
    entries = [path for path in possible_submissions(folder) if not path.is_symlink()]
    if any(path.name.isdigit() and holds_lessons(path) for path in entries):
        return False
    names = [path.name if path.is_dir() else stem_of(path) for path in entries if path.is_dir() or not is_archive(path)]
    return 0 < len(names) == len(entries) and all(is_only_lesson(name, lessons) for name in names)


def in_class(folder: Path, new_folder: NewFolder) -> list[Arrival]:
    """The submissions of a class: by a platform's naming if every name fits it, else one per entry.

    Only names directly inside count: below that, students choose the names. Raises SubmissionError, OSError.
    """
    return with_unread_files(
        folder,
        from_gradescope(folder)
        or from_canvas(folder, new_folder)
        or from_moodle(folder, new_folder)
        or from_checkouts(folder)
        or one_per_entry(folder),
    )


def with_unread_files(folder: Path, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """The arrivals, and one for each file that is of another kind: it says why nothing of it is read.

    Next to a submission of the same name it is a note in that one. Nothing at all where there is no submission.
    """
    known = {path for arrival in arrivals for path in (arrival.path, *arrival.sources)}
    found, places = list(arrivals), {arrival.student: at for at, arrival in enumerate(arrivals)}
    for path in unread_files(folder) if arrivals else ():
        if path in known:
            continue
        name = without_suffix(path)
        if name in places:
            found[places[name]] = found[places[name]].with_remark("unread", f"`{path.name}` next to it is not read.")
        else:
            places[name] = len(found)
            found.append(Arrival(name, path, path.name, names=(name, path.name)))
    return found


def in_class_archive(
    given: Path, lessons: Sequence[Lesson], new_folder: NewFolder, code_page: Callable[[Path], str | None]
) -> list[Arrival]:
    """The submissions in a whole class's archive; none if it is something else. Raises SubmissionError, OSError."""
    path = given.resolve()
    try:
        page = code_page(path)
        names = archive_names(path, page)
    except ArchiveRefused:
        return []  # as one submission, it is refused with the same sentence
    if not is_class(names, lessons):
        return []
    folder = new_folder()
    try:
        refused = unpack_class(path, folder, page)
    except ArchiveRefused as error:
        raise SubmissionError(f"{given} cannot be used as a class's archive: {error}") from error
    while len(folders(folder)) == 1 and not gradable(folder) and not (folder / METADATA).exists():
        (folder,) = folders(folder)
    arrivals = in_class(folder, new_folder)
    return [replace(arrival, refused=refusal_sentence(arrival, refused)) for arrival in arrivals]


def refusal_sentence(arrival: Arrival, refused: dict[Path, str]) -> str | None:
    """The sentence about one of the student's entries that was not unpacked, if there is one."""
    places = arrival.sources or (arrival.path,)
    return next((refused[at] for at in refused if any(at == p or p in at.parents for p in places)), None)


def is_class(names: Sequence[str], lessons: Sequence[Lesson]) -> bool:
    """Whether an archive's entries are a class: a platform's download, or folders and archives of several students."""
    parts = [PurePosixPath(name).parts for name in names]
    while parts and all(len(each) > 1 for each in parts) and len({each[0] for each in parts}) == 1:
        if MOODLE_NAME.fullmatch(parts[0][0]):
            return True
        parts = [each[1:] for each in parts]
    top = {each[0] for each in parts} - CLUTTER
    if is_platforms(parts, top):
        return True
    known = {lesson.name.lower() for lesson in lessons}
    folder_names = {part for each in parts for part in each[:-1]}
    holding = {
        each[0] for each in parts if each[0].isdigit() and any(LESSON.match(part.lower()) for part in each[1:-1])
    }
    known |= {name.lower() for name in folder_names - holding if is_only_lesson(name, lessons)}
    if any(name.lower() in known for name in top):
        return False
    students = {each[0] for each in parts if any(part.lower() in known for part in each[1:-1])}
    return len(students | {name for name in top if is_archive(Path(name))}) > 1


def is_platforms(parts: Sequence[tuple[str, ...]], top: set[str]) -> bool:
    """Whether the entries with these `parts` have the names of a download of Gradescope, Moodle or Canvas."""
    graded = {e[0] for e in parts if len(e) > 1 or is_archive(Path(e[0])) or suffix_of(Path(e[0])) in (".py", ".ipynb")}
    if METADATA in top and all(map(SUBMISSION_NAME.fullmatch, graded - CLUTTER)):
        return True
    if top and all(map(MOODLE_NAME.fullmatch, top)):
        return True
    return all(len(each) == 1 for each in parts) and bool(canvas_files(top))
