"""Joins submissions with a roster, by ranked evidence from names, ids and addresses. Dates decide nothing.

A submission counts for a member of the roster when it is the only one that matches, or the only one whose match is
confirmed. A submission by one member of a group counts for all members of the group who have none of their own. Every
other case is a sentence for the instructor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.people import PeopleIndex, as_folder, fold_case, may_be_one_person, name_words, only
from grader.intake.submissions.roster import Member, Roster, column_roles
from grader.results.wording import listed, listed_as_code

MAX_ROSTER_GUESSES = 3
MAX_PEOPLE_NAMED = 5
MAX_PAIRS_OF_NAMES = 1_000_000  # pairs of names; a class of a thousand


class Rank(IntEnum):
    """How much a match says. Students choose folder names, logins and display names, so only CONFIRMED decides."""

    NAME = 1  # the member's name
    KEY = 2  # the member's id, e-mail address or login, as the name of a submission
    CONFIRMED = 3  # the roster's own column `submission`, or an id or address that the platform wrote


@dataclass
class Joined:
    """Attributes:
    owned: {student: the submissions that count for this member}; several are attempts of one account.
    others: the submissions that count for no member.
    absent: members whom no submission matches.
    disputed: (member, sentence) of those whom several submissions match, none of which counts.
    remarks: sentences for the instructor.
    """

    owned: dict[str, list[Arrival]] = field(default_factory=dict)
    others: list[Arrival] = field(default_factory=list)
    absent: tuple[Member, ...] = ()
    disputed: tuple[tuple[Member, str], ...] = ()
    remarks: tuple[str, ...] = ()


def join(roster: Roster, arrivals: Sequence[Arrival], in_groups: bool = True) -> Joined:
    """Decides whose each submission is. A member with a confirmed submission is matched by nothing weaker.

    Unless `in_groups`, a submission counts for nobody else in the group.
    """
    groups, shown = members_by_group(roster) if in_groups else {}, [as_folder(each.student) for each in arrivals]
    index = RosterIndex(roster, arrivals, groups)
    evidence = [index.evidence(arrival) for arrival in arrivals]
    rivals_of: dict[str, dict[int, Rank]] = {}  # {student: {number of a submission: how sure}}
    for at, ranks in enumerate(evidence):
        best = [student for student, rank in ranks.items() if rank is Rank.CONFIRMED] or list(ranks)
        if len(best) == 1:
            rivals_of.setdefault(best[0], {})[at] = ranks[best[0]]
    joined, about = Joined(), dict[int, str]()
    nobodys = dict(enumerate(arrivals))
    for member in roster.members:
        rivals = rivals_of.get(member.student, {})
        candidates = [at for at, rank in rivals.items() if rank is Rank.CONFIRMED] or list(rivals)
        accounts = {arrivals[at].account for at in candidates}
        if len(candidates) > 1 and (len(accounts) > 1 or "" in accounts):
            names = [shown[at] for at in rivals]
            several = "Several submissions match this student, and none of them counts yet"
            joined.disputed += ((member, f"{several}: {', '.join(names)}."),)
            about |= dict.fromkeys(rivals, "") | {next(iter(rivals)): dispute_remark(names, member, roster)}
            continue
        if candidates:
            joined.owned[member.student] = [nobodys.pop(at) for at in candidates]
        for at in rivals.keys() - candidates:
            about[at] = (
                f"`{shown[at]}` matches {member.in_words}, but `{shown[candidates[0]]}` is confirmed and counts. "
                f"`{shown[at]}` is graded under its own name: find out who submitted it."
            )
    shared_remarks = share_in_groups(groups, joined, nobodys)
    here = joined.owned.keys() | {member.student for member, _ in joined.disputed}
    joined.absent = tuple(member for member in roster.members if member.student not in here)
    guesses = () if len(arrivals) * len(joined.absent) > MAX_PAIRS_OF_NAMES else joined.absent
    for at in nobodys.keys() - about.keys():
        members = [member for member in roster.members if member.student in evidence[at]]
        about[at] = unmatched_remark(shown[at], members, guesses, roster)
    joined.others = list(nobodys.values())
    joined.remarks = (*(about[at] for at in sorted(about) if about[at] and at in nobodys), *shared_remarks)
    return joined


def matches_a_member(roster: Roster, name: str) -> bool:
    """Whether a submission of this name would be a member's: by the name, the id, the address or the login."""
    arrival = Arrival(name, Path(name))
    return bool(RosterIndex(roster, [arrival]).evidence(arrival))


class RosterIndex:
    """Members by each way of naming them."""

    def __init__(self, roster: Roster, arrivals: Sequence[Arrival], groups: Collection[str] = ()) -> None:
        self._explicit = any(column.strip().lower() == "submission" for column in roster.columns)
        self._members, self._groups = {member.student: member for member in roster.members}, groups
        self._confirmed, self._people = PeopleIndex(), PeopleIndex()
        for each in roster.members:
            self._confirmed.add(each.student, [each.submission])
            # a name that this program made unique, such as "Eva Silva (17)"
            made_unique = [each.student] if each.student != as_folder(each.name) else []
            self._people.add(each.student, [each.id, each.email, *made_unique], [each.name])
        # a platform has its own numbers, and one of them may be another student's id by chance
        agree = [self._is_similar(arrival, who) for arrival in arrivals for who in self._numbered(arrival)]
        self._trusts_numbers = 2 * sum(agree) > len(agree)

    def _numbered(self, arrival: Arrival) -> list[str]:
        """The members whose ids are the platform's numbers."""
        people = (only(self._people.with_mark(mark)) for mark in arrival.marks if mark.isdecimal())
        return [person for person in people if person is not None]

    def _is_similar(self, arrival: Arrival, student: str) -> bool:
        return any(may_be_one_person(name, self._members[student].name) for name in arrival.all_names)

    def evidence(self, arrival: Arrival) -> dict[str, Rank]:
        """{member: the strongest rank} of every member whom anything about this submission matches exactly."""
        names = [*arrival.all_names, *self._without_group(arrival)]
        is_weak = arrival.displayed and not self._explicit
        matches = [({arrival.student} & self._members.keys() if arrival.own else set(), Rank.CONFIRMED)]
        for name in names:
            matches.append((self._confirmed.with_mark(name), Rank.KEY if is_weak else Rank.CONFIRMED))
            matches.append((self._people.with_mark(name), Rank.KEY))
            whole = self._people.with_name(name)
            # a form adds who uploaded a file to its name: `backward - Ada Okafor`, `Ada Okafor - backward`
            parts = [whole] if whole else map(self._people.with_name, name.split(" - "))
            matches += [(people, Rank.NAME) for people in parts]
        matches += [(self._people.with_mark(mark), Rank.CONFIRMED) for mark in arrival.marks if not mark.isdecimal()]
        numbered = [each for each in self._numbered(arrival) if self._trusts_numbers or self._is_similar(arrival, each)]
        found: dict[str, Rank] = {}
        for people, rank in [*matches, *(({each}, Rank.CONFIRMED) for each in numbered)]:
            if (person := only(people)) is not None:
                found[person] = max(rank, found.get(person, rank))
        return found

    def _without_group(self, arrival: Arrival) -> list[str]:
        """The student's name in "Group 1-Ada Okafor", as Moodle writes it where groups submit."""
        name = arrival.student if arrival.displayed else ""
        return [name[len(each) + 1 :] for each in self._groups if fold_case(name).startswith(f"{fold_case(each)}-")]


# Groups ---------------------------------------------------------------------------------------------------------------


def members_by_group(roster: Roster) -> dict[str, list[Member]]:
    """{group, as the roster writes it first: its members}; a group of one is left out."""
    found: dict[str, list[Member]] = {}
    for member in roster.members:
        if member.group:
            found.setdefault(fold_case(member.group), []).append(member)
    return {members[0].group: members for members in found.values() if len(members) > 1}


def share_in_groups(groups: Mapping[str, Sequence[Member]], joined: Joined, nobodys: dict[int, Arrival]) -> list[str]:
    """Finds a submission for each member of a group without one; what is disputed already stays disputed.

    One that came under a group's name and counts is nobody's no longer. Returns sentences.
    """
    remarks, settled = list[str](), {member.student for member, _ in joined.disputed}
    for group, members in groups.items():
        holders = [member for member in members if member.student in joined.owned]
        without = [member for member in members if member.student not in joined.owned.keys() | settled]
        name = "".join(name_words(group))  # Canvas calls a group's submission by it
        named = [at for at, each in nobodys.items() if name in ("".join(name_words(n)) for n in each.all_names)]
        candidates = [*(joined.owned[each.student][0] for each in holders), *(nobodys[at] for at in named)]
        who = listed([member.name for member in without])
        if len(candidates) == 1 and without:
            holder = listed([member.name for member in holders])
            by = holder or f"`{candidates[0].label}`"
            shared = replace(candidates[0].with_remark("group", f"Submitted for {group} by {by}."), submitted_by=holder)
            joined.owned |= {member.student: [shared] for member in without}
            for at in named:
                del nobodys[at]
            remarks.append(f"{group}: the submission of {by} counts for {who}.")
        elif candidates and without:
            labels = ", ".join(f"`{arrival.label}`" for arrival in candidates)
            sentence = (
                f"{group} has several submissions: {labels}. Each counts for who submitted it. None counts for "
                f"{who} until you say which: remove the others, and run again."
            )
            remarks.append(sentence)
            joined.disputed += tuple((member, sentence) for member in without)
    return remarks


# Sentences ------------------------------------------------------------------------------------------------------------


def column_phrase(roster: Roster) -> str:
    """Where the roster's column `submission` is, or is to be added."""
    return "in the column" if "submission" in column_roles(roster.columns) else "to the roster a column"


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
        each for each in absent if any(may_be_one_person(name, own) for own in (each.name, each.email.split("@")[0]))
    ]
    if not members:
        return f"`{name}` is not in the roster; it is graded under that name."
    guesses = " or ".join(member.in_words for member in members[:MAX_ROSTER_GUESSES])
    guesses += " ..." if members[MAX_ROSTER_GUESSES:] else ""
    which = "its line" if len(members) == 1 else "the right line"
    return (
        f"`{name}` may be {guesses}: add {column_phrase(roster)} `submission`, with that name in {which}, to confirm."
    )
