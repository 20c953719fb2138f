"""The verdict on a student's whole backward pass: every step is fed the student's own gradients."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import torch

from grader.calling.answer import Answer
from grader.comparison.tensors import compare, differs_in_ones
from grader.reference.problem import Problem
from grader.results import Chain


def chain_verdicts(
    problem: Problem,
    targets: Mapping[str, str],
    answers: Mapping[str, Answer],
    lines: Mapping[str, bool],
    in_float32: Collection[str] = (),
    other_shape: Collection[str] = (),
) -> dict[str, tuple[Chain, list[str]]]:
    """{step: (passed | failed | skipped, the wrong steps above it, nearest first)} for the student's own chain.

    `targets` is {step: forward value}, `lines` says which steps are right when fed the true upstream gradients, and
    `in_float32` which of them are so only as far as float32 goes. Those in `other_shape` are right in a shape that
    differs from their value's in axes of length one: such a step is a wrong one for the steps that it makes wrong.
    """
    blamed: set[str] = set()
    verdicts: dict[str, tuple[Chain, list[str]]] = {}
    narrow: set[str] = set()
    order = list(problem.graph.values)
    for step, target in targets.items():
        answer = answers[step]
        above = problem.graph.above(target)
        is_float32 = answer.tensor is not None and answer.tensor.dtype == torch.float32
        if step in in_float32 or is_float32 or answer.low_precision:
            narrow.add(target)
        culprits = [s for s, t in targets.items() if t in above and (s in blamed or not lines.get(s, False))]
        odd = [s for s, t in targets.items() if t in above and s in other_shape]
        tensor = answer.tensor
        reference, scale, low = problem.chain[target], problem.scale(target), bool(narrow & (above | {target}))
        allowed = {"low_precision_tolerance": problem.low_precision_tolerance} if low else {}
        if tensor is not None and step in other_shape and differs_in_ones(tensor.shape, reference.shape):
            tensor = tensor.reshape(reference.shape)
        if tensor is not None and not answer.changed and compare(tensor, reference, scale, low, **allowed).passed:
            verdicts[step] = ("passed", [])
            continue
        if not culprits and lines.get(step, False):
            culprits = odd
            blamed.update(odd)
        culprits.sort(key=lambda s: order.index(targets[s]))
        ran = tensor is not None or answer.outcome in ("returned", "raised")
        verdicts[step] = ("failed" if ran else "skipped", culprits)
    return verdicts
