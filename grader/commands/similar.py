"""`grade similar`: pairs of submissions that share what few others in the class have."""

from __future__ import annotations

from functools import partial

from grader.commands.checks import named_lessons
from grader.commands.console import ProgressBar, console_for, print_remarks, say
from grader.commands.options import LessonNames
from grader.commands.out_folder import OutToRead
from grader.errors import UserError
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.grading.views import roster_in
from grader.gradebook.similarity.pairs import similarities
from grader.gradebook.similarity.reading import known_code, read_class, steps_of_course, stored_class
from grader.publish.instructor_pages import reason_text, similar_page
from grader.results.wording import count_text

MAX_SHOWN = 20


def similar(out: OutToRead, lesson_names: LessonNames) -> None:
    """Finds submissions in the gradebook that share rare wrong answers or code, of each lesson the attempt that counts.

    Other names, another order or another layout of the code make no difference. Stubs, the course's own answers and
    what many students write do not count, nor do right answers in common forms. Students with the same entry in the
    roster's column `group` are compared as one.

    Examples:
      grade similar -o hw2

    A pair is a reason to read two submissions side by side. It is never a verdict.
    """
    course = out.required_course()
    lessons = named_lessons(course, lesson_names)
    files, rows = stored_class(out.gradebook, course, [lesson.name for lesson in lessons])
    if len(files) < 2:
        count = count_text(len(files), "submission was", "submissions were")
        raise UserError(f"{count} found: a comparison needs two or more.")
    steps = steps_of_course(course)
    with ProgressBar(console_for(stderr=True)) as bar:
        task = bar.add_task("comparing", total=len(files))
        read = read_class(files, steps, partial(bar.advance, task))
    known = {lesson.name: known_code(lesson, steps) for lesson in lessons}
    roster = roster_in(out.gradebook)
    groups = {each.student: each.group for each in (roster.members if roster else ()) if each.group}
    result = similarities(read, rows, known, groups)
    pairs = [pair for pair in result.pairs if pair.bits >= result.threshold]
    remarks = [f"{path} of {student} is not Python, so it was not compared." for student, path in read.unreadable]
    page = out.path / "similar.html"
    with output_errors(page):
        write_whole(page, similar_page(result, pairs, files, remarks))
    print_remarks(remarks)
    for pair in pairs[:MAX_SHOWN]:
        more = f" And {len(pair.shared) - 1} more." if len(pair.shared) > 1 else ""
        reason = f"{pair.one}, {pair.other} ({pair.bits:.1f} bits): {reason_text(pair.shared[0])}{more}"
        say(reason)
    if len(pairs) > MAX_SHOWN:
        say(f"... and {len(pairs) - MAX_SHOWN} more, in similar.html.")
    if pairs:
        say("Reasons to read them side by side, not a verdict: read both and speak with both students first.")
    else:
        chance = f"no pair shares more than chance explains ({result.threshold:.1f} bits)"
        say(f"{result.size} submissions compared: {chance}.")
    say(f"Side by side: {page}")
