"""Joins submissions with a roster, by ranked evidence from names, ids and addresses. Dates decide nothing.

A submission counts for a member of the roster when it is the only one that matches, or the only one whose match is
confirmed. Every other case is a sentence for the instructor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from grader.intake.submissions.people import PeopleIndex, as_folder, may_be_one_person, only
from grader.intake.submissions.roster import Member, Roster, column_roles
from grader.results.wording import listed_as_code

MAX_ROSTER_GUESSES = 3
MAX_PEOPLE_NAMED = 5
MAX_PAIRS_OF_NAMES = 1_000_000  # pairs of names; a class of a thousand


class Rank(IntEnum):
    """How much a match says. Students choose folder names, logins and display names, so only CONFIRMED decides."""

    NAME = 1  # the member's name
    KEY = 2  # the member's id, e-mail address or login, as the name of a submission
    CONFIRMED = 3  # the roster's own column `submission`, or an id or address that the platform wrote


class Match(NamedTuple):
    member: Member
    rank: Rank


@dataclass(frozen=True)
class Submitter:
    """What is known of who submitted.

    Attributes:
        shown: the name that messages show.
        names: the names that the submission came under; students may have chosen them.
        marks: ids and e-mail addresses that the platform wrote.
        account: equal for two attempts of one account, as the platform says; "" where no platform says so.
        displayed: the name is an account's display name, so it confirms no login.
        own: `shown` was written by a run of this program, with a roster's names where it had one.
    """

    shown: str
    names: tuple[str, ...]
    marks: tuple[str, ...] = ()
    account: str = ""
    displayed: bool = False
    own: bool = False


@dataclass(frozen=True)
class Joined:
    """Attributes:
    owners: for each submission, the member for whom it counts; attempts of one account have the same owner.
    absent: members whom no submission matches.
    disputed: members whom several submissions match, none of which counts, with the names of these.
    remarks: {number of a submission: a sentence about it for the instructor}.
    """

    owners: tuple[Member | None, ...]
    absent: tuple[Member, ...]
    disputed: tuple[tuple[Member, tuple[str, ...]], ...]
    remarks: Mapping[int, str]


def join(roster: Roster, submitters: Sequence[Submitter]) -> Joined:
    """Decides whose each submission is. A member with a confirmed submission is matched by nothing weaker."""
    index = RosterIndex(roster, submitters)
    evidence = [index.evidence(submitter) for submitter in submitters]
    by_member: dict[str, dict[int, Rank]] = {}  # {student: {number of a submission: how sure}}
    for at, matches in enumerate(evidence):
        best = [match for match in matches if match.rank is Rank.CONFIRMED] or matches
        if len(best) == 1:
            by_member.setdefault(best[0].member.student, {})[at] = best[0].rank
    owners: list[Member | None] = [None] * len(submitters)
    disputed, about = [], dict[int, str]()
    for member in roster.members:
        rivals = by_member.get(member.student)
        if rivals is None:
            continue
        candidates = [at for at, rank in rivals.items() if rank is Rank.CONFIRMED] or list(rivals)
        accounts = {submitters[at].account for at in candidates}
        if len(candidates) > 1 and (len(accounts) > 1 or "" in accounts):
            names = tuple(submitters[at].shown for at in rivals)
            disputed.append((member, names))
            about |= dict.fromkeys(rivals, "") | {next(iter(rivals)): dispute_remark(names, member, roster)}
            continue
        for at in candidates:
            owners[at] = member
        for at in rivals.keys() - candidates:
            about[at] = weaker_match_remark(submitters[at].shown, member, submitters[candidates[0]].shown)
    here = {owner.student for owner in owners if owner is not None} | {member.student for member, _ in disputed}
    absent = tuple(member for member in roster.members if member.student not in here)
    guesses = () if len(submitters) * len(absent) > MAX_PAIRS_OF_NAMES else absent
    for at, (submitter, owner) in enumerate(zip(submitters, owners, strict=True)):
        if owner is None and at not in about:
            members = [match.member for match in evidence[at]]
            about[at] = unmatched_remark(submitter.shown, members, guesses, roster)
    return Joined(tuple(owners), absent, tuple(disputed), {at: about[at] for at in sorted(about) if about[at]})


def matches_a_member(roster: Roster, name: str) -> bool:
    """Whether a submission of this name would be a member's: by the name, the id, the address or the login."""
    submitter = Submitter(name, (name,))
    return bool(RosterIndex(roster, [submitter]).evidence(submitter))


class RosterIndex:
    """Members by each way of naming them."""

    def __init__(self, roster: Roster, submitters: Sequence[Submitter]) -> None:
        self._explicit = any(column.strip().lower() == "submission" for column in roster.columns)
        self._members = {member.student: member for member in roster.members}
        self._confirmed, self._people = PeopleIndex(), PeopleIndex()
        for each in roster.members:
            self._confirmed.add(each.student, [each.submission])
            # a name that this program made unique, such as "Eva Silva (17)"
            made_unique = [each.student] if each.student != as_folder(each.name) else []
            self._people.add(each.student, [each.id, each.email, *made_unique], [each.name])
        self._numbers_are_ids = self._believes_numbers(submitters)

    def _believes_numbers(self, submitters: Sequence[Submitter]) -> bool | None:
        """Whether the platform's numbers are the roster's ids; None where as many names disagree as agree.

        A platform has its own numbers, and one of them may be another student's id by chance.
        """
        agree = [
            may_be_one_person(name, member.name)
            for submitter in submitters
            for name in submitter.names
            for member in self._numbered(submitter)
        ]
        if not any(agree):
            return False
        return True if 2 * sum(agree) > len(agree) else None

    def _numbered(self, submitter: Submitter) -> list[Member]:
        people = (only(self._people.with_mark(mark)) for mark in submitter.marks if mark.isdecimal())
        return [self._members[person] for person in people if person is not None]

    def evidence(self, submitter: Submitter) -> list[Match]:
        """Every member whom anything about this submission matches exactly, with the strongest rank."""
        found: dict[str, Match] = {}

        def add(people: set[str], rank: Rank) -> None:
            person = only(people)
            if person is not None and (person not in found or found[person].rank < rank):
                found[person] = Match(self._members[person], rank)

        if submitter.own:
            add({submitter.shown} & self._members.keys(), Rank.CONFIRMED)
        for name in submitter.names:
            is_weak = submitter.displayed and not self._explicit
            add(self._confirmed.with_mark(name), Rank.KEY if is_weak else Rank.CONFIRMED)
            add(self._people.with_mark(name), Rank.KEY)
        for mark in submitter.marks:
            if not mark.isdecimal():
                add(self._people.with_mark(mark), Rank.CONFIRMED)
        for member in self._numbered(submitter):
            if self._numbers_are_ids or any(may_be_one_person(name, member.name) for name in submitter.names):
                add({member.student}, Rank.CONFIRMED)
            elif self._numbers_are_ids is None:
                add({member.student}, Rank.KEY)
        for name in submitter.names:
            whole = self._people.with_name(name)
            # a form adds who uploaded a file to its name: `backward - Ada Okafor`, `Ada Okafor - backward`
            for people in [whole] if whole else map(self._people.with_name, name.split(" - ")):
                add(people, Rank.NAME)
        return list(found.values())


def column_phrase(roster: Roster) -> str:
    """Where the roster's column `submission` is, or is to be added."""
    return "in the column" if "submission" in column_roles(roster.columns) else "to the roster a column"


def weaker_match_remark(name: str, member: Member, own: str) -> str:
    """About a submission that matches a member who has a confirmed one."""
    return (
        f"`{name}` matches {member.in_words}, but `{own}` is confirmed and counts. `{name}` is graded under its own "
        "name: find out who submitted it."
    )


def dispute_remark(names: Collection[str], member: Member, roster: Roster) -> str:
    """About submissions that match one member, of which none is confirmed, or several are."""
    return (
        f"{listed_as_code([*names], MAX_PEOPLE_NAMED)} {'both' if len(names) == 2 else 'all'} match {member.in_words}. "
        f"None of them counts until you say which: add {column_phrase(roster)} `submission`, with one of these names "
        f"in the line of {member.name}, and run again."
    )


def unmatched_remark(name: str, matched: Sequence[Member], absent: Sequence[Member], roster: Roster) -> str:
    """About a submission that is certainly nobody's: whose it may be, and how to confirm that."""
    members = matched or [
        member
        for member in absent
        if may_be_one_person(name, member.name) or may_be_one_person(name, member.email.partition("@")[0])
    ]
    if not members:
        return f"`{name}` is not in the roster; it is graded under that name."
    guesses = " or ".join(member.in_words for member in members[:MAX_ROSTER_GUESSES])
    guesses += " ..." if members[MAX_ROSTER_GUESSES:] else ""
    which = "its line" if len(members) == 1 else "the right line"
    column = column_phrase(roster)
    return f"`{name}` may be {guesses}: add {column} `submission`, with that name in {which}, to confirm."
