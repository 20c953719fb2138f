"""Members of a roster who submit as a group.

A submission by one member of a group counts for all members who have none of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.people import fold_case, name_words
from grader.intake.submissions.roster import Member, Roster
from grader.intake.submissions.roster_matching import Joined
from grader.results.wording import listed


@dataclass
class SharedSubmissions:
    """What the groups change: further (owner, arrival) pairs, disputes, remarks, and group submissions that count.

    `used` are the places in the list of arrivals of those that came under a group's name.
    """

    further: list[tuple[Member, Arrival]] = field(default_factory=list)
    disputed: list[tuple[Member, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)


def members_by_group(roster: Roster) -> dict[str, list[Member]]:
    """{group, as the roster writes it: its members}; a group of one is left out."""
    found: dict[str, list[Member]] = {}
    written: dict[str, str] = {}
    for member in roster.members:
        if member.group:
            found.setdefault(written.setdefault(fold_case(member.group), member.group), []).append(member)
    return {group: members for group, members in found.items() if len(members) > 1}


def without_group(name: str, groups: Iterable[str]) -> str:
    """The student's name in "Group 1-Ada Okafor", as Moodle writes it where groups submit."""
    begins = (group for group in groups if fold_case(name).startswith(f"{fold_case(group)}-"))
    return name[len(group) + 1 :] if (group := next(begins, "")) else name


def share(groups: Mapping[str, Sequence[Member]], arrivals: Sequence[Arrival], joined: Joined) -> SharedSubmissions:
    """Finds a submission for each member of a group without one; what is disputed already stays disputed."""
    shared, settled = SharedSubmissions(), {member.student for member, _ in joined.disputed}
    own: dict[str, Arrival] = {}
    for arrival, owner in zip(arrivals, joined.owners, strict=True):
        if owner is not None:
            own.setdefault(owner.student, arrival)
    for group, members in groups.items():
        holders = [member for member in members if member.student in own]
        without = [member for member in members if member.student not in own and member.student not in settled]
        nobodys = (at for at, owner in enumerate(joined.owners) if owner is None)
        named = [at for at in nobodys if is_from_group(arrivals[at], group)]
        candidates = [*(own[member.student] for member in holders), *(arrivals[at] for at in named)]
        if len(candidates) == 1 and without:
            by = member_list(holders) or f"`{candidates[0].label}`"
            note = f"Submitted for {group} by {by}."
            found = replace(candidates[0].with_remark("group", note), submitted_by=member_list(holders))
            shared.further += [(member, found) for member in without]
            shared.used |= set(named)
            shared.remarks.append(f"{group}: the submission of {by} counts for {member_list(without)}.")
        elif candidates and without:
            labels = ", ".join(f"`{arrival.label}`" for arrival in candidates)
            sentence = (
                f"{group} has several submissions: {labels}. Each counts for who submitted it. None counts for "
                f"{member_list(without)} until you say which: remove the others, and run again."
            )
            shared.remarks.append(sentence)
            shared.disputed += [(member, sentence) for member in without]
    return shared


def member_list(members: Sequence[Member]) -> str:
    return listed([member.name for member in members])


def is_from_group(arrival: Arrival, group: str) -> bool:
    """Whether a submission came under the group's name, as Canvas writes it where groups submit."""
    wanted = "".join(name_words(group))
    return any("".join(name_words(name)) == wanted for name in (arrival.student, *arrival.names))
