"""Results for Classroom 50's grade book: its scores.json with the scores in OUT, which collection leaves as they are.

The contract: schemas/scores-v1.schema.json in https://github.com/foundation50/classroom50. An entry with `override` is
never refreshed from the students' repositories.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.classroom50 import result_in
from grader.publish.export.classroom50 import score_fields
from grader.publish.feedback.download import Returned
from grader.publish.feedback.reports import NoFeedback, for_one_student, require_score

SCORES_SCHEMA = "classroom50/scores/v1"
ACCOUNT = "GitHub "


def is_checkout(arrival: Arrival) -> bool:
    """Whether a submission is a repository from Classroom 50's download."""
    return arrival.account.startswith(ACCOUNT)


def read_scores(path: Path) -> dict[str, Any]:
    """The content of a classroom's scores.json. Raises UserError."""
    try:
        scores = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UserError(f"{path} is not JSON ({error}): give the classroom's scores.json.") from error
    if not isinstance(scores, dict) or scores.get("schema") != SCORES_SCHEMA:
        raise UserError(f"{path} is not a scores.json of Classroom 50 ({SCORES_SCHEMA}).")
    return scores


def put_scores(scores: dict[str, Any], back: Sequence[Returned], now: datetime) -> Iterator[str]:
    """Enter the results into `scores`; a sentence for each student without an entry."""
    for each in back:
        try:
            with for_one_student():
                put_score(scores, each, now)
        except NoFeedback as reason:
            yield f"`{each.results.student}` gets no score: {reason}."


def put_score(scores: dict[str, Any], each: Returned, now: datetime) -> None:
    """Replace the newest submission of a repository by what OUT says of it. Raises NoFeedback."""
    require_score(each.results)
    login = each.arrival.account.removeprefix(ACCOUNT)
    record = result_in(each.arrival.path)
    if record is None:
        raise NoFeedback("the checkout has no result.json, so download without --by-pattern")
    if str(record.get("owner", "")).lower() != login:
        raise NoFeedback(f"the result.json in the checkout is {record.get('owner')}'s, not {login}'s")
    if not isinstance(record.get("assignment"), str):  # a student may write a release by hand
        raise NoFeedback("the result.json in the checkout does not name an assignment")
    bucket = scores.get("assignments", {}).get(record["assignment"])
    if not isinstance(bucket, dict) or not isinstance(bucket.get("entries"), list):
        raise NoFeedback(f"scores.json has no assignment {record.get('assignment')}")
    submission = {name: value for name, value in record.items() if name != "assignment"} | score_fields(
        each.results, now
    )
    entry = next((entry for entry in bucket["entries"] if str(entry.get("owner", "")).lower() == login), None)
    if entry is None:
        bucket["entries"].append(entry := {"owner": record["owner"], "submissions": []})
    older = [other for other in entry["submissions"] if other.get("submission") != submission.get("submission")]
    entry |= {"submissions": [submission, *older], "override": True}
