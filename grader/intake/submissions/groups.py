"""Members of a roster who submit as a group.

A submission by one member of a group counts for all members who have none of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.gathered import files_below
from grader.intake.submissions.lesson_files import Unreadable, read_file
from grader.intake.submissions.people import fold_case, name_words
from grader.intake.submissions.roster import Member, Roster
from grader.intake.submissions.roster_matching import Joined
from grader.results.wording import listed

MAX_ARCHIVE = 64 << 20


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
        different = different_arrivals(candidates) if len(candidates) > 1 else candidates
        if len(different) == 1 and without:
            by = member_list(holders) or f"`{candidates[0].label}`"
            note = f"Submitted for {group} by {by}."
            found = replace(different[0].with_remark("group", note), submitted_by=member_list(holders))
            shared.further += [(member, found) for member in without]
            shared.used |= set(named)
            shared.remarks.append(f"{group}: the submission of {by} counts for {member_list(without)}.")
        elif len(different) > 1:
            labels = ", ".join(f"`{arrival.label}`" for arrival in different)
            sentence = f"{group} has different submissions: {labels}. Each counts for who submitted it."
            if without:
                sentence += (
                    f" None counts for {member_list(without)} until you say which: remove the others, and run again."
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


def different_arrivals(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """One of those with equal files: Moodle gives the files of a group once for each member."""
    return list({content_digest(arrival): arrival for arrival in reversed(arrivals)}.values())[::-1]


def content_digest(arrival: Arrival) -> str:
    """A digest of all gradable files, by name."""
    total = hashlib.sha256()
    found = files_below(arrival.path) if arrival.path.is_dir() else [(arrival.path, arrival.path.name)]
    for path, shown in sorted(found, key=lambda entry: entry[1]):
        try:
            data = read_file(path, MAX_ARCHIVE)
        except Unreadable:
            data = b""
        for part in (shown.encode("utf-8", "surrogateescape"), data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
