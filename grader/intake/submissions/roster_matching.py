"""Joins submissions with a roster by ids, addresses and names. Dates decide nothing.

A submission counts for a member of the roster when it is the only one that matches, or the only one whose match is
confirmed. A submission by one member of a group counts for all members of the group who have none of their own. Every
other case is a sentence for the instructor.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.people import PeopleIndex, as_folder, fold_case, may_be_one_person, name_words, only
from grader.intake.submissions.roster import Attendance, Member, Roster
from grader.results.wording import listed, listed_as_code

MAX_ROSTER_GUESSES = 3
MAX_PEOPLE_NAMED = 5
MAX_PAIRS_OF_NAMES = 1_000_000  # pairs of names; a class of a thousand


@dataclass(frozen=True)
class Joined:
    """Attributes:
    owned: {student: the submissions that count for this member}; several are attempts of one account.
    others: the submissions that count for no member.
    """

    owned: dict[str, list[Arrival]]
    others: list[Arrival]
    attendance: Attendance


def join(roster: Roster, arrivals: Sequence[Arrival], in_groups: bool = True) -> Joined:
    """Decides whose each submission is. A member with a confirmed submission is matched by nothing weaker.

    Unless `in_groups`, a submission counts for nobody else in the group.
    """
    index, shown = RosterIndex(roster, arrivals), [as_folder(each.student) for each in arrivals]
    matches = [index.matches(arrival) for arrival in arrivals]
    rivals_of: dict[str, dict[int, bool]] = {}  # {student: {number of a submission: whether it is confirmed}}
    for at, (confirmed, possible) in enumerate(matches):
        if (student := only(confirmed or possible)) is not None:
            rivals_of.setdefault(student, {})[at] = bool(confirmed)
    owned, disputed, about = dict[str, list[Arrival]](), dict[str, tuple[Member, str]](), dict[int, str]()
    nobodys = dict(enumerate(arrivals))
    for member in roster.members:
        rivals = rivals_of.get(member.student, {})
        candidates = [at for at, is_confirmed in rivals.items() if is_confirmed] or list(rivals)
        accounts = {arrivals[at].account for at in candidates}
        if len(candidates) > 1 and (len(accounts) > 1 or "" in accounts):
            names = [shown[at] for at in rivals]
            several = "Several submissions match this student, and none of them counts yet"
            disputed[member.student] = member, f"{several}: {', '.join(names)}."
            about |= dict.fromkeys(rivals, "") | {next(iter(rivals)): dispute_remark(names, member)}
            continue
        if candidates:
            owned[member.student] = [nobodys.pop(at) for at in candidates]
        for at in rivals.keys() - candidates:
            about[at] = (
                f"`{shown[at]}` matches {member.in_words}, but `{shown[candidates[0]]}` is confirmed and counts. "
                f"`{shown[at]}` is graded under its own name: find out who submitted it."
            )
    shared_remarks = share_in_groups(roster, owned, disputed, nobodys) if in_groups else []
    absent = tuple(each for each in roster.members if each.student not in owned and each.student not in disputed)
    guesses = () if len(arrivals) * len(absent) > MAX_PAIRS_OF_NAMES else absent
    for at in nobodys.keys() - about.keys():
        matched = [member for member in roster.members if member.student in set().union(*matches[at])]
        about[at] = unmatched_remark(shown[at], matched, guesses)
    remarks = (*(about[at] for at in sorted(about) if about[at] and at in nobodys), *shared_remarks)
    present = {each.student: each for each in roster.members if each.student in owned}
    attendance = Attendance(present, absent, roster.columns, tuple(disputed.values()), remarks)
    return Joined(owned, list(nobodys.values()), attendance)


def matches_a_member(roster: Roster, name: str) -> bool:
    """Whether a submission of this name would be a member's: by the name, the id, the address or the login."""
    return any(RosterIndex(roster, ()).matches(Arrival(name, Path(name))))


class RosterIndex:
    """Members by each way of naming them. What several share names none of them."""

    def __init__(self, roster: Roster, arrivals: Sequence[Arrival]) -> None:
        self._explicit = any(column.strip().lower() == "submission" for column in roster.columns)
        self._students = {member.student for member in roster.members}
        self._submissions, self._people = PeopleIndex(), PeopleIndex()
        for each in roster.members:
            self._submissions.add(each.student, [each.submission])
            # a name that this program made unique, such as "Eva Silva (17)"
            made_unique = [each.student] if each.student != as_folder(each.name) else []
            self._people.add(each.student, [each.id, each.email, *made_unique], [each.name])
        # a platform has its own numbers, which may be other students' ids by chance: then most names say so
        agree = list[bool]()
        for arrival in arrivals:
            numbers = self._people.with_mark(*(mark for mark in arrival.marks if mark.isdecimal()))
            named = self._people.with_name(arrival.student)
            agree += [numbers <= named] if numbers and named else []
        self._trusts_numbers = 2 * sum(agree) >= len(agree)

    def matches(self, arrival: Arrival) -> tuple[set[str], set[str]]:
        """(the members whom it certainly is from, those whom its name matches exactly).

        Students choose folder names, logins and display names. Certain is the roster's own column `submission`, and an
        id or address that the platform wrote.
        """
        certain = [self._students & {arrival.student}] if arrival.own else []
        certain += [
            self._people.with_mark(mark) for mark in arrival.marks if self._trusts_numbers or not mark.isdecimal()
        ]
        possible = list[set[str]]()
        for name in arrival.all_names:
            is_login = arrival.displayed and not self._explicit  # which a display name may repeat
            (possible if is_login else certain).append(self._submissions.with_mark(name))
            whole = self._people.with_name(name)
            # a form adds who uploaded a file to its name: `backward - Ada Okafor`, `Ada Okafor - backward`
            parts = [whole] if whole else map(self._people.with_name, name.split(" - "))
            possible += [self._people.with_mark(name), *parts]
        one, other = ({person for each in found if (person := only(each))} for found in (certain, possible))
        return one, other


def share_in_groups(
    roster: Roster,
    owned: dict[str, list[Arrival]],
    disputed: dict[str, tuple[Member, str]],
    nobodys: dict[int, Arrival],
) -> list[str]:
    """Finds a submission for each member of a group without one; what is disputed already stays disputed.

    One that came under a group's name and counts is nobody's no longer. Returns sentences.
    """
    remarks, groups = list[str](), dict[str, list[Member]]()
    for member in roster.members:
        if member.group:
            groups.setdefault(fold_case(member.group), []).append(member)
    for members in groups.values():
        group, name = members[0].group, "".join(name_words(members[0].group))  # Canvas calls a group's submission by it
        holders = [member for member in members if member.student in owned]
        without = [member for member in members if member.student not in owned.keys() | disputed.keys()]
        named = [at for at, each in nobodys.items() if name in ("".join(name_words(n)) for n in each.all_names)]
        candidates = [*(owned[each.student][0] for each in holders), *(nobodys[at] for at in named)]
        who = listed([member.name for member in without])
        if len(candidates) == 1 and without:
            holder = listed([member.name for member in holders])
            by = holder or f"`{candidates[0].label}`"
            shared = replace(candidates[0].with_remark("group", f"Submitted for {group} by {by}."), submitted_by=holder)
            owned |= {member.student: [shared] for member in without}
            for at in named:
                del nobodys[at]
            remarks.append(f"{group}: the submission of {by} counts for {who}.")
        elif candidates and without:
            labels = listed_as_code([each.label for each in candidates])
            sentence = (
                f"{group} has several submissions: {labels}. Each counts for who submitted it. "
                f"None counts for {who} until you say which: remove the others, and run again."
            )
            remarks.append(sentence)
            disputed |= {member.student: (member, sentence) for member in without}
    return remarks


def dispute_remark(names: Collection[str], member: Member) -> str:
    """About submissions that match one member, of which none is confirmed, or several are."""
    return (
        f"{listed_as_code([*names], MAX_PEOPLE_NAMED)} {'both' if len(names) == 2 else 'all'} match {member.in_words}. "
        f"None of them counts until you say which: write one of these names in the line of {member.name}, in the "
        "roster's column `submission`, and run again."
    )


def unmatched_remark(name: str, matched: Sequence[Member], absent: Sequence[Member]) -> str:
    """About a submission that is certainly nobody's: whose it may be, and how to confirm that."""
    members = matched or [
        each for each in absent if any(may_be_one_person(name, own) for own in (each.name, each.email.split("@")[0]))
    ]
    if not members:
        return f"`{name}` is not in the roster; it is graded under that name."
    return f"`{name}` may be {guessed(members)}: to confirm, write that name in the roster's column `submission`."


def guessed(members: Sequence[Member]) -> str:
    """Who may be meant, for a sentence."""
    more = " ..." if members[MAX_ROSTER_GUESSES:] else ""
    return " or ".join(member.in_words for member in members[:MAX_ROSTER_GUESSES]) + more
