"""Whose submission is whose: evidence from names, ids and addresses is ranked, and a date decides nothing.

A submission counts for a member of the roster when it is the only one that matches, or the only one whose match is
confirmed. Every other case is a sentence for the instructor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from grader.intake.submissions.people import as_folder, folded, may_be_one_person, name_words, rotations
from grader.intake.submissions.roster import Member, Roster, recognised

MOST_GUESSES = 3
MOST_NAMED = 5
MOST_COMPARED = 1_000_000  # pairs of names; a class of a thousand


class Rank(IntEnum):
    """How much a match says. Students choose folder names, logins and display names, so only CONFIRMED decides."""

    NAME = 1  # the member's name
    KEY = 2  # the member's id, e-mail address or login, as the name of a submission
    CONFIRMED = 3  # the roster's own column `submission`, or an id or address that the platform wrote


@dataclass(frozen=True)
class Submitter:
    """What is known of who submitted.

    Attributes:
        shown: the name that messages show.
        names: the names that it came under; students may have chosen them.
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
    owners: for each claim, the member for whom it counts; attempts of one account have the same owner.
    absent: members whom no submission matches.
    disputed: members whom several submissions match, none of which counts, with the names of these.
    remarks: sentences for the instructor.
    """

    owners: tuple[Member | None, ...]
    absent: tuple[Member, ...]
    disputed: tuple[tuple[Member, tuple[str, ...]], ...]
    remarks: tuple[str, ...]


def join(roster: Roster, claims: Sequence[Submitter]) -> Joined:
    """Whose each submission is. A member with a confirmed submission is matched by nothing weaker."""
    book = RosterIndex(roster, claims)
    matches = [book.match(claim) for claim in claims]
    by_member: dict[str, list[int]] = {}
    for at, found in enumerate(matches):
        if found is not None:
            by_member.setdefault(found[0].student, []).append(at)
    owners: list[Member | None] = [None] * len(claims)
    disputed, about = [], dict[int, str]()
    for member in roster.members:
        rivals = by_member.get(member.student, [])
        sure = [at for at in rivals if book.rank(matches[at]) is Rank.CONFIRMED]
        candidates = sure or rivals
        others = [at for at in rivals if at not in candidates]
        if len(candidates) == 1 or (candidates and one_account(claims[at] for at in candidates)):
            for at in candidates:
                owners[at] = member
            about |= {at: weaker_match_remark(claims[at].shown, member, claims[candidates[0]].shown) for at in others}
        elif candidates:
            names = tuple(claims[at].shown for at in rivals)
            disputed.append((member, names))
            about |= dict.fromkeys(rivals, "") | {rivals[0]: dispute_remark(names, member, roster)}
    here = {owner.student for owner in owners if owner is not None} | {member.student for member, _ in disputed}
    absent = tuple(member for member in roster.members if member.student not in here)
    remarks = []
    for at, (claim, owner) in enumerate(zip(claims, owners, strict=True)):
        if owner is None:
            guessed = () if len(claims) * len(absent) > MOST_COMPARED else absent
            remarks.append(
                about[at] if at in about else unmatched_remark(claim, book.candidates(claim), guessed, roster)
            )
    return Joined(tuple(owners), absent, tuple(disputed), tuple(filter(None, remarks)))


def one_account(claims: Iterable[Submitter]) -> bool:
    """Whether the platform says that these are attempts of one account."""
    accounts = {claim.account for claim in claims}
    return len(accounts) == 1 and "" not in accounts


class RosterIndex:
    """Members by each way of naming them. A way that several members share names none of them."""

    def __init__(self, roster: Roster, claims: Sequence[Submitter]) -> None:
        members = roster.members

        def by(keys: Callable[[Member], Iterable[str]]) -> dict[str, Member | None]:
            found: dict[str, Member | None] = {}
            for member in members:
                for key in set(keys(member)) - {""}:
                    found[key] = None if key in found else member
            return found

        apart = {m.student for m in members if m.student != as_folder(m.name)}  # "Eva Silva (17)", by us
        self._explicit = any(column.strip().lower() == "submission" for column in roster.columns)
        self._students = by(lambda m: [m.student])
        self._confirmed = by(lambda m: [folded(m.submission)])
        self._marks = by(lambda m: [folded(m.id), folded(m.email)])
        self._apart = by(lambda m: [folded(m.student) if m.student in apart else ""])
        self._names = by(lambda m: ["".join(name_words(m.name))])
        self._turned = by(lambda m: rotations(name_words(m.name)))
        self._numbers_are_ids = self._believes_numbers(claims)

    def _believes_numbers(self, claims: Sequence[Submitter]) -> bool | None:
        """Whether the platform's numbers are the roster's ids: None where some names agree and as many do not.

        A platform has numbers of its own, and one of them may be another student's id by chance.
        """
        numbered = ((name, member) for claim in claims for name in claim.names for member in self._numbered(claim))
        agree = [may_be_one_person(name, member.name) for name, member in numbered]
        if not any(agree):
            return False
        return True if 2 * sum(agree) > len(agree) else None

    def _numbered(self, claim: Submitter) -> list[Member]:
        found = (self._marks.get(mark) for mark in claim.marks if mark.isdecimal())
        return [member for member in found if member is not None]

    def evidence(self, claim: Submitter) -> dict[str, tuple[Member, Rank]]:
        """{student: (member, rank)} of every member whom anything about this submission matches exactly."""
        found: dict[str, tuple[Member, Rank]] = {}

        def add(member: Member | None, rank: Rank) -> None:
            if member is not None and (member.student not in found or found[member.student][1] < rank):
                found[member.student] = (member, rank)

        names = [folded(name) for name in claim.names]
        if claim.own:
            add(self._students.get(claim.shown), Rank.CONFIRMED)
        for name in names:
            add(self._confirmed.get(name), Rank.KEY if claim.displayed and not self._explicit else Rank.CONFIRMED)
            add(self._marks.get(name), Rank.KEY)
            add(self._apart.get(name), Rank.KEY)
        for mark in claim.marks:
            if not mark.isdecimal():
                add(self._marks.get(folded(mark)), Rank.CONFIRMED)
        for member in self._numbered(claim):
            if any(may_be_one_person(name, member.name) for name in claim.names) or self._numbers_are_ids:
                add(member, Rank.CONFIRMED)
            elif self._numbers_are_ids is None:
                add(member, Rank.KEY)
        for name in ("".join(name_words(name)) for name in claim.names):
            add(self._names.get(name) or (None if name in self._names else self._turned.get(name)), Rank.NAME)
        return found

    def match(self, claim: Submitter) -> tuple[Member, Rank] | None:
        """The one member whom it matches; None where it is nobody, or one of several."""
        found = list(self.evidence(claim).values())
        sure = [each for each in found if each[1] is Rank.CONFIRMED]
        candidates = sure or found
        return candidates[0] if len(candidates) == 1 else None

    def candidates(self, claim: Submitter) -> list[Member]:
        return [member for member, _ in self.evidence(claim).values()]

    @staticmethod
    def rank(found: tuple[Member, Rank] | None) -> Rank | None:
        return None if found is None else found[1]


def quoted_names(names: Collection[str]) -> str:
    shown = [f"`{name}`" for name in names][:MOST_NAMED]
    more = len(names) - len(shown)
    return f"{', '.join(shown)} and {more} more" if more else " and ".join([", ".join(shown[:-1]), shown[-1]][-2:])


def column_phrase(roster: Roster) -> str:
    return "in the column" if "submission" in recognised(roster.columns) else "to the roster a column"


def weaker_match_remark(name: str, member: Member, own: str) -> str:
    """About a submission that matches a member who has a confirmed one."""
    return (
        f"`{name}` matches {member.in_words}, but `{own}` is confirmed and counts. `{name}` is graded under its own "
        "name: find out who submitted it."
    )


def dispute_remark(names: Collection[str], member: Member, roster: Roster) -> str:
    """About submissions that match one member, of which none is confirmed, or several are."""
    return (
        f"{quoted_names(names)} {'both' if len(names) == 2 else 'all'} match {member.in_words}. None of them counts "
        f"until you say which: add {column_phrase(roster)} `submission`, with one of these names in the line of "
        f"{member.name}, and run again."
    )


def unmatched_remark(claim: Submitter, candidates: Sequence[Member], absent: Sequence[Member], roster: Roster) -> str:
    """About a submission that is nobody's for sure: whose it may be, and how to say so."""
    name, shown = claim.shown, f"`{claim.shown}`"
    own = list(candidates) or [
        m for m in absent if may_be_one_person(name, m.name) or may_be_one_person(name, m.email.partition("@")[0])
    ]
    if not own:
        return f"{shown} is not in the roster; it is graded under that name."
    guesses = " or ".join(member.in_words for member in own[:MOST_GUESSES]) + (" ..." if own[MOST_GUESSES:] else "")
    which = "its line" if len(own) == 1 else "the right line"
    return f"{shown} may be {guesses}: add {column_phrase(roster)} `submission`, with that name in {which}, to confirm."
