"""A mutation test of the judge: the solutions with one slip in each, judged as a student's file would be.

    python -m bench mutants                  every lesson, some mutants of each function
    python -m bench mutants 03 05 --all      two lessons, all mutants
    python -m bench mutants --show anatomy   and each rejected mutant for which no explanation was found
    python -m bench mutants --home 16        those that `dojo check` does not see, because its example is too weak

A mutant must be rejected, or stand in mutants_equivalent.toml with the reason why it is right after all. Exit status 1
if one was accepted that is not listed, if a listed one was rejected, or if the hidden suite itself broke on one.
They are graded as students' files, in workers, and lessons side by side.

A rejected mutant is told something specific where a known mistake is named, the cause was found from the numbers, the
code or an error's text, or a shape, a type or a rule of the row says what was expected; not where only the anatomy of
the error is given, or Python's own error with its line.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.measuring import lessons_named
from bench.mutants.edits import Mutant, mutants, sample
from bench.mutants.judge import KINDS, SPECIFIC, Bench, Judged
from grader.lesson.lesson import Lesson

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
BUDGET = 40  # mutants of one function, unless --all
BUDGETS = {"07_training": 20, "08_gradient_check": 25}  # their rows take a second or more


@dataclass(frozen=True)
class Listed:
    """The data file, by lesson and function: `right` are mutants, `open` statements whose mutants may pass or not."""

    right: frozenset[tuple[str, str, str]]
    open: frozenset[tuple[str, str, str]]


def listed(path: Path = EQUIVALENT) -> Listed:
    tables = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    right, free = (
        frozenset((t["lesson"], t["function"], text) for t in tables for text in t.get(kind, ()))
        for kind in ("changes", "lines")
    )
    return Listed(right, free)


@dataclass
class Tally:
    """One lesson's mutants with what came of them."""

    lesson: str
    judged: list[tuple[Mutant, Judged]]
    possible: int
    seconds: float
    listed: Listed

    def equivalent(self, mutant: Mutant) -> bool:
        return (self.lesson, mutant.where, mutant.change) in self.listed.right

    def open(self, mutant: Mutant) -> bool:
        return not self.equivalent(mutant) and (self.lesson, mutant.where, mutant.before) in self.listed.open

    def of(self, *kinds: str) -> list[tuple[Mutant, Judged]]:
        return [(mutant, found) for mutant, found in self.judged if found.kind in kinds]

    @property
    def faults(self) -> Iterator[str]:
        for mutant, found in self.judged:
            text = f"{self.lesson} {mutant.where}: {mutant.change}"
            if found.kind == "fault":
                yield f"the hidden suite broke: {text} [{found.row}: {found.message}]"
            elif found.kind == "accepted" and not (self.equivalent(mutant) or self.open(mutant)):
                yield f"accepted: {text}"
            elif found.kind != "accepted" and self.equivalent(mutant):
                yield f"listed as equivalent, but rejected: {text} [{found.row}: {found.message}]"

    def counts(self) -> dict[str, int]:
        accepted = [mutant for mutant, _ in self.of("accepted")]
        equivalent, free = sum(map(self.equivalent, accepted)), sum(map(self.open, accepted))
        return {
            "mutants": len(self.judged),
            "of": self.possible,
            "equivalent": equivalent,
            "left open": free,
            "unlisted": len(accepted) - equivalent - free,
            "rejected": len(self.of(*KINDS)),
            "specific": len(self.of(*SPECIFIC)),
        }


def unseen_at_home(seed: int, budget: int | None, lesson: Lesson) -> tuple[int, list[tuple[Mutant, Judged]]]:
    """(how many mutants the suite rejects, those of them that `dojo check` accepts)"""
    chosen = sample(mutants(lesson.answer_key), budget or BUDGETS.get(lesson.name, BUDGET), seed)
    with closing(Bench(lesson, seed)) as bench:
        rejected = [(mutant, found) for mutant in chosen if (found := bench.judge(mutant)).kind != "accepted"]
        return len(rejected), [pair for pair in rejected if pair[1].row and bench.passes_at_home(pair[0], pair[1].row)]


def judge_lesson(seed: int, budget: int | None, take_all: bool, lesson: Lesson) -> Tally:
    """`budget` is the number of mutants of each function."""
    started, known = time.perf_counter(), listed()
    budget = None if take_all else budget or BUDGETS.get(lesson.name, BUDGET)
    every = mutants(lesson.answer_key)
    chosen = every if budget is None else sample(every, budget, seed)
    here = {(m.where, m.change) for m in every}
    here |= {(m.where, m.before) for m in every}
    stale = [key for key in known.right | known.open if key[0] == lesson.name and key[1:] not in here]
    if stale:
        raise SystemExit(f"{EQUIVALENT.name} lists what is no mutant: {stale[0]}")
    with closing(Bench(lesson, seed)) as bench:
        unchanged = bench.judge(Mutant(lesson.functions[0], "", "", ""))
        if unchanged.kind != "accepted":
            raise SystemExit(f"{lesson.name}: the solution itself is rejected: {unchanged}")
        judged = [(mutant, bench.judge(mutant)) for mutant in chosen]
    return Tally(lesson.name, judged, len(every), time.perf_counter() - started, known)


def table(tallies: Sequence[Tally]) -> Iterator[str]:
    rows = [(tally.lesson, tally.counts(), tally.seconds) for tally in tallies]
    total = {key: sum(counts[key] for _, counts, _ in rows) for key in rows[0][1]}
    rows.append(("all", total, sum(tally.seconds for tally in tallies)))
    yield f"{'':20}" + "".join(f"{head:>11}" for head in total) + f"{'share':>9}{'seconds':>9}"
    for name, counts, seconds in rows:
        share = f"{counts['specific'] / max(counts['rejected'], 1):.1%}"
        yield f"{name:20}" + "".join(f"{n:11,}" for n in counts.values()) + f"{share:>9}{seconds:9.0f}"
    yield ""
    kinds = Counter(found.kind for tally in tallies for _, found in tally.judged)
    yield from (f"{kinds[kind]:7,}  {meaning}" for kind, meaning in KINDS.items())


def shown(tallies: Sequence[Tally], kind: str) -> Iterator[str]:
    for tally in tallies:
        for mutant, found in tally.of(kind):
            about = f" [{found.row}: {found.message}]" if found.message else ""
            yield f"{tally.lesson[:2]} {mutant.where}: {mutant.change}{about}"


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--all", action="store_true", help="every mutant, not some of each function")
    parser.add_argument("--budget", type=int, metavar="N", help=f"mutants of each function ({BUDGET})")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the hidden problems and of the sample (1)")
    parser.add_argument("--show", choices=("accepted", *KINDS), metavar="KIND", help=f"accepted, {', '.join(KINDS)}")
    parser.add_argument("--home", action="store_true", help="list what `dojo check` does not see")
    chosen = parser.parse_args()
    if chosen.home:
        for lesson in lessons_named(chosen.lessons):
            count, unseen = unseen_at_home(chosen.seed, chosen.budget, lesson)
            print(f"{lesson.name}: {len(unseen)} of {count} pass at home", flush=True)
            for mutant, found in unseen:
                print(f"  {mutant.where}: {mutant.change} [{found.row}]")
        return 0
    judge, tallies = partial(judge_lesson, chosen.seed, chosen.budget, chosen.all), list[Tally]()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("spawn")) as pool:
        for tally in pool.map(judge, lessons_named(chosen.lessons)):
            print(f"{tally.lesson}: {len(tally.judged)} mutants", file=sys.stderr)
            tallies.append(tally)
    if chosen.show:
        print(*shown(tallies, chosen.show), "", sep="\n")
    faults = [fault for tally in tallies for fault in tally.faults]
    print(*table(tallies), *faults, sep="\n")
    counted = [(tally.lesson[:2], tally.counts()) for tally in tallies]
    shares = (f"{number} {counts['specific'] / max(counts['rejected'], 1):.1%}" for number, counts in counted)
    unlisted = sum(counts["unlisted"] for _, counts in counted)
    print(f"\n{unlisted} unlisted; with a specific message, of the rejected ones: {' · '.join(shares)}")
    return 1 if faults else 0
