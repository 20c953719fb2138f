"""Who is who in a gradebook: a person is their id, address or account, whatever a run calls them.

What says so are marks such as "email ada@example.org"; a name is a label that may change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from grader.gradebook.store import NAME_MARK, Store
from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.people import PeopleIndex, fold_case, may_be_one_person, only
from grader.intake.submissions.roster import Member, Roster
from grader.intake.submissions.roster_matching import MAX_ROSTER_GUESSES, guessed

ACCOUNT_MARK = "account "
"""Begins what says that a student has an account of a platform."""
MAX_QUESTIONS = 20


@dataclass
class JoinedPeople:
    """Attributes:
    names: {a name in the gradebook: what the same person is called now}.
    sentences: why, for each of them.
    questions: {name in the gradebook: who this may be}, where only names say so and a person should decide.
    """

    names: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    questions: dict[str, str] = field(default_factory=dict)


def join_people(gradebook: Store, found: FoundSubmissions, roster: Roster | None) -> JoinedPeople:
    """Find out which names in the gradebook are now other ones, and remember what says who the students are now.

    Two names are one person's if they have an id, an e-mail address, a login or an account of a platform in common, or
    if the roster's column `submission` says so.
    """
    joined, known, members = JoinedPeople(), gradebook.people(), roster.members if roster is not None else ()
    now = {each.student: member_marks(each) for each in members}
    for arrival in found.arrivals:
        is_own = arrival.account and not arrival.submitted_by
        now.setdefault(arrival.student, set()).update([ACCOUNT_MARK + arrival.account] if is_own else [])
    index = index_of_marks(now)
    submits_as = {fold_case(each.submission): each.student for each in members if each.submission}
    students = gradebook.students()
    new = [each for each in members if each.student not in known and each.student not in students]
    guesses = new if len(new) <= MAX_ROSTER_GUESSES and len(new) < len(members) else []
    columns = {mark.partition(" ")[0] for each in members for mark in member_marks(each)}
    for name in students:
        marks = known.get(name, set())
        owners = {mark: owner for mark in sorted(marks) if (owner := only(index.with_mark(mark))) is not None}
        of_roster = {mark: owner for mark, owner in owners.items() if not mark.startswith(ACCOUNT_MARK)}
        owners = of_roster or ({} if name in now else owners)
        by_column = None if name in now else submits_as.get(fold_case(name))
        present = by_column or only(set(owners.values()))
        if present not in (None, name):
            why = next((mark for mark, owner in owners.items() if owner == present), "the roster's column `submission`")
            joined.names[name] = str(present)
            joined.sentences.append(f"{name} is {present} ({why}): attempts and decisions are now under this name.")
        elif roster is not None and name not in now and columns.isdisjoint(mark.partition(" ")[0] for mark in marks):
            may_be = [each for each in members if may_be_one_person(name, each.name)] or guesses
            if may_be and len(joined.questions) < MAX_QUESTIONS:
                joined.questions[name] = question(name, may_be)
    gradebook.rename(joined.names)
    gradebook.add_marks(now)
    return joined


def member_marks(member: Member) -> set[str]:
    """Ids, addresses and logins; not the name of a submission, which a person writes and may correct."""
    return {f"{column} {fold_case(cell)}" for column, cell in member.marks.items() if cell and column != "submission"}


def question(name: str, members: Sequence[Member]) -> str:
    """Asks who a student of the gradebook is in the roster, and says how to answer."""
    return (
        f"the gradebook has `{name}`, who is not in the roster: is this {guessed(members)}? If so, write `{name}` in "
        "that line, in the roster's column `submission`, and run again with --roster."
    )


def index_of_marks(people: Mapping[str, Collection[str]]) -> PeopleIndex:
    """Students by their marks; an earlier name says nothing."""
    index = PeopleIndex()
    for student, marks in people.items():
        index.add(student, [mark for mark in marks if not mark.startswith(NAME_MARK)])
    return index


def names_here(theirs: Mapping[str, Collection[str]], ours: Mapping[str, Collection[str]]) -> dict[str, str]:
    """{name in another gradebook: the same person's name in this one}, of those who are called differently."""
    index, found = index_of_marks(ours), dict[str, str]()
    for name, marks in theirs.items():
        here = only({owner for mark in marks if (owner := only(index.with_mark(mark))) is not None})
        if name not in ours and here is not None:
            found[name] = here
    return found
