"""What holds for every assignment, whatever students submit and people decide."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from made_attempts import DUE, attempt, decision, homework, lesson_with

from grader.gradebook.assignment.config import LatePolicy
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.gradebook.assignment.points import assigned, best_standing, days_left

LESSONS = ("03_a", "04_b")
ABOUT = (None, *LESSONS, *(f"{lesson}.r{number}" for lesson in LESSONS for number in range(2)))
some = settings(max_examples=30, deadline=None)
ALMOST = 1e-6
"""Scores are rounded to six digits."""

hours = st.integers(-72, 240)
some_times = st.one_of(st.none(), hours)
shares = st.sampled_from([0, 0, 0.25, 0.5, 1, 1])
policies = st.builds(
    LatePolicy,
    percent_per_day=st.sampled_from([0, 5, 10, 33.3, 100]),
    keep_at_least=st.sampled_from([0, 20, 50, 100]),
    free_days=st.integers(0, 4),
    hard_deadline=st.one_of(st.none(), st.integers(0, 200).map(lambda late: DUE + timedelta(hours=late))),
)
graces = st.sampled_from([timedelta(), timedelta(minutes=15), timedelta(hours=30)])


@st.composite
def attempts_of_a_student(draw, least=0, most=5, times=some_times):
    found = []
    for id in range(1, draw(st.integers(least, most)) + 1):
        late = draw(times)
        names = draw(st.lists(st.sampled_from(LESSONS), min_size=1, max_size=2, unique=True))
        lessons = [lesson_with(name, draw(shares), draw(shares)) for name in sorted(names)]
        found.append(attempt(id, None if late is None else timedelta(hours=late), *lessons))
    return found


@st.composite
def assignments(draw, counts=("best", "last", "last on time")):
    return homework(
        worth=draw(st.sampled_from([1, 2, 100 / 4, 0.1])),
        late=draw(policies),
        grace=draw(graces),
        counts=draw(st.sampled_from(counts)),
    )


@st.composite
def decisions_about_a_student(draw, kinds=("points", "comment", "excuse", "extension", "undo")):
    found = []
    for id in range(1, draw(st.integers(0, 5)) + 1):
        kind = draw(st.sampled_from(kinds))
        about = draw(st.sampled_from(ABOUT))
        if kind == "points":
            found.append(decision(id, kind, about, points=draw(st.sampled_from([-1, 0, 0.5, 1, 3, 1000]))))
        elif kind == "extension":
            found.append(decision(id, kind, about, until=DUE + timedelta(hours=draw(hours))))
        elif kind == "undo" and id > 1:
            found.append(decision(id, kind, undoes=draw(st.integers(1, id - 1))))
        else:
            found.append(decision(id, "comment", about, text="so"))
    return found


def share(assignment, attempts, decisions=(), free_days=None):
    days = assignment.late.free_days if free_days is None else free_days
    return best_standing("Ada", assignment, attempts, DecisionsInForce(decisions), days).share


@some
@given(assignments(counts=["best"]), attempts_of_a_student(least=1), decisions_about_a_student())
def test_a_later_attempt_never_lowers_best(assignment, attempts, decisions):
    before = assigned("Ada", assignment, attempts[:-1], decisions)
    after = assigned("Ada", assignment, attempts, decisions)
    assert after.score >= before.score - ALMOST * max(1, assignment.points)
    assert share(assignment, attempts, decisions) >= share(assignment, attempts[:-1], decisions) - ALMOST


@some
@given(assignments(), attempts_of_a_student(), decisions_about_a_student())
def test_nobody_gets_more_than_the_maximum_or_less_than_nothing(assignment, attempts, decisions):
    found = assigned("Ada", assignment, attempts, decisions)
    assert 0 <= found.score <= found.max_score + ALMOST <= assignment.points + 2 * ALMOST
    for lesson in found.lessons:
        assert 0 <= lesson.score <= lesson.max_score + ALMOST
        assert all(0 <= row.points <= row.max_points for row in lesson.rows)
    if found.adjustment is None:
        assert abs(sum(lesson.score for lesson in found.lessons) - found.score) < 10 * ALMOST


@some
@given(assignments(), attempts_of_a_student(), decisions_about_a_student(), hours, st.sampled_from(ABOUT))
def test_an_extension_never_lowers_a_score(assignment, attempts, decisions, until, about):
    extension = decision(99, "extension", about, until=DUE + timedelta(hours=until))
    after = assigned("Ada", assignment, attempts, [*decisions, extension])
    assert after.score >= assigned("Ada", assignment, attempts, decisions).score - ALMOST * max(1, assignment.points)


@some
@given(assignments(counts=["best", "last"]), attempts_of_a_student(times=hours), st.integers(0, 100))
def test_lateness_never_raises_a_score(assignment, attempts, later):
    """All attempts, submitted so many hours later in the same order."""
    delayed = [replace(each, submitted=each.submitted + timedelta(hours=later)) for each in attempts]
    assert share(assignment, delayed) <= share(assignment, attempts) + ALMOST


@some
@given(assignments(), attempts_of_a_student(), decisions_about_a_student(kinds=["comment", "excuse", "extension"]))
def test_twice_the_weight_is_twice_the_points(assignment, attempts, decisions):
    doubled = replace(
        assignment,
        rows={name: {row: 2 * worth for row, worth in rows.items()} for name, rows in assignment.rows.items()},
    )
    once, twice = (assigned("Ada", each, attempts, decisions) for each in (assignment, doubled))
    assert abs(twice.score - 2 * once.score) <= 3 * ALMOST
    assert abs(twice.max_score - 2 * once.max_score) <= 3 * ALMOST


@some
@given(st.randoms(), assignments(), attempts_of_a_student(), decisions_about_a_student())
def test_the_order_of_the_arguments_has_no_effect(random, assignment, attempts, decisions):
    mixed, others = random.sample(attempts, len(attempts)), random.sample(decisions, len(decisions))
    assert assigned("Ada", assignment, mixed, others) == assigned("Ada", assignment, attempts, decisions)


@some
@given(assignments(), attempts_of_a_student(), st.permutations(ABOUT), st.permutations(range(1, len(ABOUT) + 1)))
def test_decisions_about_different_things_can_be_made_in_any_order(assignment, attempts, about, ids):
    made = [decision(7, "points", each, points=0.25 * place) for place, each in enumerate(ABOUT)]
    in_another_order = [replace(each, id=id, made=made[0].made) for each, id in zip(made, ids, strict=True)]
    assert assigned("Ada", assignment, attempts, in_another_order) == assigned("Ada", assignment, attempts, made)


@some
@given(assignments(), attempts_of_a_student(), decisions_about_a_student(), st.sampled_from(ABOUT), st.data())
def test_undoing_restores(assignment, attempts, decisions, about, data):
    kind = data.draw(st.sampled_from(["points", "excuse", "comment", "extension"]))
    more = {"points": {"points": 0.5}, "extension": {"until": DUE + timedelta(days=2)}}.get(kind, {})
    undone = [*decisions, decision(98, kind, about, **more), decision(99, "undo", undoes=98)]
    assert assigned("Ada", assignment, attempts, undone) == assigned("Ada", assignment, attempts, decisions)


@some
@given(assignments(), attempts_of_a_student(), decisions_about_a_student(), st.integers(0, 3))
def test_more_free_days_never_lower_a_score(assignment, attempts, decisions, days):
    more, fewer = (share(assignment, attempts, decisions, number) for number in (days + 1, days))
    assert more >= fewer - ALMOST


term = st.lists(st.tuples(assignments(), attempts_of_a_student(most=3)), min_size=1, max_size=3)


def days_spent(works):
    """How many days each assignment of a term uses."""
    left = [days_left("Ada", work[0], [each for each in works if each is not work]) for work in works]
    return [
        best_standing("Ada", assignment, attempts, DecisionsInForce(()), days).free_days
        for (assignment, attempts, _), days in zip(works, left, strict=True)
    ]


@some
@given(term, st.integers(0, 4), st.randoms())
def test_free_days_are_spent_in_the_order_of_due_dates(term, days, random):
    works = [
        (
            replace(assignment, due=DUE + timedelta(days=number), late=replace(assignment.late, free_days=days)),
            attempts,
            (),
        )
        for number, (assignment, attempts) in enumerate(term)
    ]
    spent = days_spent(works)
    assert sum(spent) <= days
    first = assigned("Ada", *works[0][:2])
    assert spent[0] == (first.late.free_days if first.late else 0)  # as if there were no other
    places = random.sample(range(len(works)), len(works))
    assert days_spent([works[place] for place in places]) == [spent[place] for place in places]


def test_the_example_of_the_documentation():
    policy, whole = LatePolicy(percent_per_day=25, free_days=3), lesson_with("03_a", 1)
    works = [
        (
            homework({"03_a": 1}, late=policy, due=DUE + timedelta(days=start)),
            [attempt(1, timedelta(days=start + late), whole)],
            (),
        )
        for start, late in ((0, 2), (30, 0), (60, 2))
    ]
    assert days_spent(works) == [2, 0, 1]
    third = works[2]
    left = days_left("Ada", third[0], works[:2])
    assert assigned("Ada", third[0], third[1], free_days=left).score == 0.75
