"""Who is who in a gradebook: a person is their id, address or account, whatever a run calls them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from grader.errors import UserError
from grader.gradebook.database import Gradebook
from grader.gradebook.identity import PEOPLE_ENTRY, PERHAPS_MARK, index_of_marks
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.people import fold_case, may_be_one_person, only
from grader.intake.submissions.roster import Member, Roster
from grader.intake.submissions.roster_matching import MAX_ROSTER_GUESSES, column_phrase

ACCOUNT_MARK = "account "
"""Begins what says that a student has an account of a platform."""
MAX_QUESTIONS = 20


def join_people(
    gradebook: Gradebook, found: FoundSubmissions, roster: Roster | None, graded: Collection[str] = ()
) -> list[str]:
    """Count what the gradebook has under a person's earlier names as this person's; returns a sentence for each.

    Two names are one person's if they have an id, an e-mail address, a login or an account of a platform in common, or
    if the roster's column `submission` says so. So are the names under which runs with and without a roster graded the
    very submission that one of the `graded` students has. Raises UserError where a name is now another person's.
    """
    before = {student: set(marks) for student, marks in gradebook.people().items()}
    now = present_marks(found, roster)
    index, sentences = index_of_marks(now), list[str]()
    submits_as = {fold_case(each.submission): each.student for each in (roster.members if roster else ())}
    new = [each.student for each in (roster.members if roster else ()) if each.student not in before]
    same = {
        former: student
        for student in graded
        for former in gradebook.same_submission(student, found.other_names.get(student, ()))
    }
    for name in gradebook.students():
        owners = {mark: owner for mark in before.get(name, ()) if (owner := only(index.with_mark(mark)))}
        shared = sorted(owners, key=lambda mark: mark.split(" ")[0])
        of_roster = [mark for mark in shared if not mark.startswith(ACCOUNT_MARK)]
        by_mark = {owners[mark]: mark for mark in of_roster or shared}
        if name in now and of_roster and name not in by_mark:
            other, mark = next(iter(by_mark.items()))
            raise UserError(
                f"{name} of the gradebook is {other} now ({mark}), and somebody else is called {name}: give that "
                "person another name in the roster, such as one with a middle name, and run again."
            )
        if name in now:
            continue
        by_name = submits_as.get(fold_case(name))
        present = by_name or (next(iter(by_mark)) if len(by_mark) == 1 else same.get(name))
        if present is not None:
            gradebook.hide(name, present)
            why = "the roster's column `submission`" if by_name else by_mark.get(present, "the same submission")
            sentences.append(f"{name} is {present} ({why}): attempts and decisions are now under this name.")
        elif roster is not None and len(new) <= MAX_ROSTER_GUESSES and len(new) < len(roster.members):
            before.setdefault(name, set()).update(PERHAPS_MARK + each for each in new)
    merged = {student: before.get(student, set()) | marks for student, marks in now.items()}
    gradebook.keep(PEOPLE_ENTRY, json.dumps({name: sorted(marks) for name, marks in (before | merged).items()}))
    return sentences


def present_marks(found: FoundSubmissions, roster: Roster | None) -> dict[str, set[str]]:
    """{student of the roster or of this run: what says who they are, as "email ada@example.org"}"""
    marks: dict[str, set[str]] = {each.student: member_marks(each) for each in (roster.members if roster else ())}
    for arrival in found.arrivals:
        own = marks.setdefault(arrival.student, set())
        if arrival.account and not arrival.submitted_by:
            own.add(ACCOUNT_MARK + arrival.account)
    return marks


def member_marks(member: Member) -> set[str]:
    """Ids, addresses and logins; not the name of a submission, which a person writes and may correct."""
    return {f"{column} {fold_case(cell)}" for column, cell in member.marks.items() if cell and column != "submission"}


def questions_about_names(gradebook: Gradebook, found: FoundSubmissions, roster: Roster | None) -> list[str]:
    """A sentence for each student of the gradebook who may be somebody in the roster, where only names say so.

    Somebody may be a member with a similar name, or one who came into the roster when they were gone from it.
    """
    if roster is None:
        return []
    people = gradebook.people()
    columns = {mark.partition(" ")[0] for each in roster.members for mark in member_marks(each)}
    here = {each.student for each in roster.members} | {each.student for each in found.arrivals}
    sentences = []
    for name in gradebook.students():
        marks = people.get(name, ())
        if name in here or {mark.partition(" ")[0] for mark in marks} & columns:
            continue
        similar = [each for each in roster.members if may_be_one_person(name, each.name)]
        if members := similar or [each for each in roster.members if PERHAPS_MARK + each.student in marks]:
            sentences.append(question(name, members, roster))
    return sentences[:MAX_QUESTIONS]


def question(name: str, members: Sequence[Member], roster: Roster) -> str:
    """Asks who a student of the gradebook is in the roster, and says how to answer."""
    who = " or ".join(each.in_words for each in members[:MAX_ROSTER_GUESSES])
    more = " ..." if members[MAX_ROSTER_GUESSES:] else ""
    return (
        f"the gradebook has `{name}`, who is not in the roster: is this {who}{more}? If so, add "
        f"{column_phrase(roster)} `submission`, with `{name}` in that line, and run again with --roster."
    )
