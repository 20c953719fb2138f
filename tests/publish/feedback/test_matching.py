"""Whose a submission in a download is: nobody gets another student's report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from grader.publish.feedback.download import NOTHING_READ, InDownload, match_download


@pytest.mark.parametrize(
    ("submissions", "attempts", "members", "certain", "says"),
    [
        ({"ada": "1"}, {"ada": "1"}, (), [True], ""),
        ({"ada": "2"}, {"ada": "12"}, (), [True], ""),  # any attempt of hers will do
        ({"ada": "3"}, {"ada": "1"}, (), [False], "another submission than the one that was graded"),
        ({"ada": "3"}, {"ada": "1"}, ("ada",), [True], ""),  # the roster confirms the name
        ({"ada": "3"}, {"ada": "1", "bo": "3"}, ("ada", "bo"), [False], "holds what was graded as `bo`"),
        ({"ada": "1"}, {"bo": "1"}, (), [False], "OUT has no results under this name"),
        ({"ada": "1", "ada-2": "2"}, {"ada": "1", "ada-2": "2"}, (), [True, True], ""),
        ({"ada": "2", "ada-2": "1"}, {"ada": "1", "ada-2": "2"}, (), [False, False], "holds what was graded as"),
        ({"ada": "1", "ada-2": "1"}, {"ada": "1", "ada-2": "1"}, (), [False, False], "several submissions"),
        ({"ada": "1", "bo": "1"}, {"ada": "1", "bo": "1"}, (), [True, True], ""),  # a copy is each one's own
        ({"ada": "-"}, {"ada": "-"}, (), [True], ""),  # nothing could be read then, and nothing now
        ({"ada": "-"}, {"ada": "1"}, (), [False], "another submission"),
        ({"ada": "-", "ada-2": "-"}, {"ada": "-", "ada-2": "-"}, (), [False, False], "several submissions"),
    ],
)
def test_what_is_certain(submissions, attempts, members, certain, says):
    def digests(letters: str) -> set[str]:
        return {NOTHING_READ if letter == "-" else letter for letter in letters}

    found = [InDownload(student, digests(letters)) for student, letters in submissions.items()]
    answer, remarks = match_download(found, {name: digests(letters) for name, letters in attempts.items()}, members)
    assert answer == certain and len(remarks) == certain.count(False)
    assert all(says in remark and remark.startswith("`ada") for remark in remarks)


names = some.sampled_from(["ada", "ada-2", "ada-3", "bo", "bo-2", "cy"])
digests = some.sampled_from([NOTHING_READ, "1", "2", "3"])


@given(
    some.dictionaries(names, digests),
    some.dictionaries(names, some.sets(digests, min_size=1)),
    some.sets(some.sampled_from(["ada", "bo", "cy"])),
)
def test_a_report_never_goes_to_who_submitted_what_was_graded_as_another_s(submissions, attempts, members):
    found = [InDownload(student, {digest}) for student, digest in submissions.items()]
    for (student, (digest,)), certain in zip(found, match_download(found, attempts, members)[0], strict=True):
        if certain:
            assert student in attempts
            owners = {name for name, graded in attempts.items() if digest in graded and digest != NOTHING_READ}
            assert not owners or student in owners
            assert owners or student in members or attempts[student] == {NOTHING_READ} == {digest}
