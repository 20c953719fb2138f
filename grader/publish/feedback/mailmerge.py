"""CSV for mail merge: a line per student with a score, with what a mail may say, and the place of the report."""

from __future__ import annotations

from pathlib import Path

from grader.intake.submissions.roster import Roster
from grader.publish.export.marks import Marks, as_csv
from grader.publish.feedback.reports import HTML, NoFeedback, report_files
from grader.publish.feedback.summary import one_line_summary
from grader.results import number

COLUMNS = ("email", "name", "id", "score", "maximum", "percent", "summary", "report")


def mailmerge_csv(out: Path, roster: Roster, marks: Marks, reports: Path | None = None) -> tuple[str, list[str]]:
    """(the text of the file, a sentence for each member of the roster with results who is not in it).

    Points and maximum are the student's own, as in the report. `reports` is the folder with a copy of OUT's reports to
    which the file refers.
    """
    rows, remarks = [list(COLUMNS)], []
    for member in roster.members:
        results = marks.results.get(member.student)
        if results is None:
            continue  # `marks.remarks` names them
        try:
            if not member.email:
                raise NoFeedback("the roster has no e-mail address")
            report_files(out, results)
        except NoFeedback as reason:
            remarks.append(f"{member.name} is not in the file: {reason}.")
            continue
        figures = (f"{number(value)}" for value in (results.score, results.max_score, results.percent))
        report = ((reports or out) / results.student / HTML).resolve()
        rows.append([member.email, member.name, member.id, *figures, one_line_summary(results), str(report)])
    return as_csv(rows), remarks
