"""What says who a student is: ids, addresses, logins and accounts, as a gradebook keeps them for each name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from grader.intake.submissions.people import PeopleIndex, only

PEOPLE_ENTRY = "people"
"""Name under which the gradebook keeps {student: what says who they are, as "email ada@example.org"}."""
PERHAPS_MARK = "perhaps "
"""Begins the name of a member who was new in a roster when a student was gone from it, which says nothing yet."""


def index_of_marks(people: Mapping[str, Collection[str]]) -> PeopleIndex:
    """Students by their marks as a gradebook keeps them."""
    index = PeopleIndex()
    for student, marks in people.items():
        index.add(student, marks)
    return index


def names_here(theirs: Mapping[str, Collection[str]], ours: Mapping[str, Collection[str]]) -> dict[str, str]:
    """{name in another gradebook: the same person's name in this one}, of those who are called differently."""
    index, found = index_of_marks(ours), dict[str, str]()
    for name, marks in theirs.items():
        owners = [only(index.with_mark(mark)) for mark in marks if not mark.startswith(PERHAPS_MARK)]
        here = only({owner for owner in owners if owner is not None})
        if name not in ours and here is not None:
            found[name] = here
    return found
