"""The drawings of a lesson's graph: folded, with one box for what a loop repeats, and each repetition by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.lesson.lesson import Lesson
from grader.publish.layout import Layout, NodeKind, Repeat
from grader.publish.report.graph import Reads, all_reads_of, first_member, folded_names, lay_out, parts_of, reads_of
from grader.reference.tape import Graph
from grader.results.wording import format_shape

MAX_DRAWN = 12
"""Repetitions that are drawn; of more, the first ones and the last one."""


def layouts_of(lesson: Lesson) -> tuple[Layout, ...]:
    """The drawings of a lesson's graph, one for each of its parts."""
    graph = lesson.public.graph
    repeats = list(repeats_of(graph, all_reads_of(lesson)))
    layouts = []
    for part in parts_of(reads_of(lesson)):
        layout = drawing(graph, part)
        layouts.append(replace(layout, repeats=tuple(each for each in repeats if set(each.names) & part.keys())))
    return tuple(layouts)


def drawing(graph: Graph, reads: Reads) -> Layout:
    """A drawing of `reads`, with the shapes and kinds of the graph's values."""

    def kind(name: str) -> NodeKind:
        return "input" if name in graph.inputs else "fused" if first_member(name) in graph.fused else "step"

    shapes = {name: format_shape(graph.values[first_member(name)].shape) for name in reads}
    return lay_out(reads, shapes, {name: kind(name) for name in reads})


def repeats_of(graph: Graph, reads: Mapping[str, Sequence[str]]) -> Iterator[Repeat]:
    """What loops repeat: the lists that are appended to equally often and read each other."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    for name, label in folded_names(graph).items():
        members[label].append(name)
    label_of = {name: label for label, names in members.items() for name in names}
    for loop in joined_lists(members, reads, label_of):
        count = len(members[loop[0]])
        numbers = range(count) if count <= MAX_DRAWN else [*range(MAX_DRAWN - 1), count - 1]
        drawings = []
        for number in numbers:
            own = {members[label][number] for label in loop}
            inside = {name: tuple(parents) for name, parents in reads.items() if name in own}
            above = dict.fromkeys(parent for parents in inside.values() for parent in parents if parent not in own)
            drawings.append(drawing(graph, {**dict.fromkeys(above, ()), **inside}))
        yield Repeat(tuple(loop), tuple(number + 1 for number in numbers), count, tuple(drawings))


def joined_lists(
    members: Mapping[str, Sequence[str]], reads: Mapping[str, Sequence[str]], label_of: Mapping[str, str]
) -> list[list[str]]:
    """The labels of each loop, in forward order: lists of the same length of which one reads the other."""
    loops = [[label] for label in members]

    def loop_of(label: str) -> list[str]:
        return next(loop for loop in loops if label in loop)

    for name, parents in reads.items():
        for parent in parents:
            if name not in label_of or parent not in label_of:
                continue
            one, other = label_of[parent], label_of[name]
            if len(members[one]) == len(members[other]) and loop_of(one) is not loop_of(other):
                merged = loop_of(one) + loop_of(other)
                loops = [loop for loop in loops if not set(loop) & set(merged)] + [merged]
    order = list(dict.fromkeys(label_of[name] for name in reads if name in label_of))
    return sorted((sorted(loop, key=order.index) for loop in loops), key=lambda loop: order.index(loop[0]))
