"""What says who a student is: ids, addresses, logins and accounts, as a gradebook keeps them for each name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

PEOPLE_ENTRY = "people"
"""Name under which the gradebook keeps {student: what says who they are, as "email ada@example.org"}."""
PERHAPS_MARK = "perhaps "
"""Begins the name of a member who was new in a roster when a student was gone from it, which says nothing yet."""


def owners_of_marks(people: Mapping[str, Collection[str]]) -> dict[str, str]:
    """{mark: student} of the marks that only one of them has."""
    owners: dict[str, str] = {}
    shared = set[str]()
    for student, marks in people.items():
        shared |= {mark for mark in marks if owners.setdefault(mark, student) != student}
    return {mark: student for mark, student in owners.items() if mark not in shared}


def names_here(theirs: Mapping[str, Collection[str]], ours: Mapping[str, Collection[str]]) -> dict[str, str]:
    """{name in another gradebook: the same person's name in this one}, of those who are called differently."""
    owners, found = owners_of_marks(ours), dict[str, str]()
    for name, marks in theirs.items():
        here = {owners[mark] for mark in marks if mark in owners and not mark.startswith(PERHAPS_MARK)}
        if name not in ours and len(here) == 1:
            found[name] = here.pop()
    return found
