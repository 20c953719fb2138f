"""The keys of a defence's questions, computed a second time by another path than grader/defence takes.

Numbers by finite differences, lines by a second evaluator (numpy) with other draws, red rows by a changed text in
this process.
"""

from __future__ import annotations

import ast
import contextlib
import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bench.second_evaluator import NotSupported, evaluate
from grader.calling.answer import Answer
from grader.calling.module_target import ModuleTarget
from grader.calling.protocol import CallFailed, Measurement
from grader.defence.file_lines import with_line
from grader.defence.plain_part import plain_part
from grader.defence.question import DefenceQuestion
from grader.lesson.lesson import Lesson
from grader.questions.kinds import shape_in
from grader.reference.course_formulas import LocalStudent
from grader.reference.problem import Problem
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of, run_example
from grader.verdict.judge.problems import ProblemBook

RTOL = 1e-6
MAX_OPERATORS = 200_000


class Source(NamedTuple):
    """A file of the course: a solution, a variant, or a solution with a known mistake."""

    lesson: Lesson
    name: str
    text: str
    right: list[str]


class Plain:
    """Takes the names of a forward pass as a tape does, with some values fixed; `computed` are those before that."""

    computed: dict[str, Any]
    fixed: Mapping[str, Any]
    watch: str

    def __init__(self, inputs: Mapping[str, Any], fixed: Mapping[str, Any], watch: str = "") -> None:
        object.__setattr__(self, "computed", {})
        object.__setattr__(self, "fixed", fixed)
        object.__setattr__(self, "watch", watch)
        for name, value in inputs.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        self.computed[name] = value
        object.__setattr__(self, name, self.fixed.get(name, value))

    def fused(self) -> Any:
        return contextlib.nullcontext()


def again_by_hand(source: Source, question: DefenceQuestion) -> bool:
    """A central difference of the sum of upstream gradients times what the forward lines compute."""
    claim = question.claim
    fixed, target, index = dict(claim["fixed"]), claim["target"], tuple(claim["index"])
    upstream = {name[1:]: value for name, value in fixed.items() if name[:1] == "d" and name[1:] in claim["upstream"]}

    def computed(step: float) -> dict[str, Tensor]:
        value = fixed[target].clone()
        value[index] += step
        plain = Plain(claim["inputs"], {**fixed, target: value})
        with torch.no_grad():
            source.lesson.module.forward(plain)
        return plain.computed

    above, below = computed(1e-5), computed(-1e-5)
    # a masked score is -inf on both sides, which does not change
    changes = [float(((above[n] - below[n]).nan_to_num(0.0) * given).sum()) for n, given in upstream.items()]
    slope = sum(changes) / 2e-5
    return abs(slope - float(str(question.key))) < 1e-4 * max(1, abs(slope))


def draw(question: DefenceQuestion, sizes: Mapping[Any, int], seed: int) -> dict[str, Any]:
    """Values for the line of a question: another generator and another distribution than the defence's own."""
    claim, random_state = question.claim, np.random.default_rng(seed)
    values: dict[str, Any] = {}
    for name in claim["names"]:
        if name in claim["size_names"]:
            values[name] = sizes.get(claim["size_names"][name], 1)
        else:
            shape = [sizes.get(symbol, 1) for symbol in claim["shapes"][name]]
            value = np.asarray(random_state.uniform(0.3, 2.0, shape))
            sign = 1.0 if name in claim["positive"] else random_state.choice([-1.0, 1.0], shape)
            values[name] = np.asarray(value * sign)
    return values


def run_line(
    code: str, values: Mapping[str, Any], source: Source, used: Counter[str], arrays: frozenset[str] = frozenset()
) -> Any:
    """The line's value by numpy; by torch in this process where numpy's evaluator does not know a call."""
    try:
        found = evaluate(code, values)
        used["numpy"] += 1
        return np.asarray(found, dtype=np.float64)
    except NotSupported:
        used["torch, in this process"] += 1
        scope: dict[str, Any] = {}
        exec(compile(source.text, "backward.py", "exec"), scope)
        kept = arrays | {n for n, v in values.items() if not isinstance(v, np.ndarray)}
        scope |= {n: v if n in kept else torch.tensor(v) for n, v in values.items()}
        default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            return np.asarray(torch.as_tensor(eval(code, scope)), dtype=np.float64)
        except Exception:
            return None
        finally:
            torch.set_default_dtype(default)
    except (ValueError, IndexError, AttributeError, TypeError):
        return None


def agree(one: Any, other: Any) -> bool:
    if one is None or other is None or one.shape != other.shape:
        return False
    return bool(np.allclose(one, other, rtol=RTOL, atol=RTOL * max(1.0, float(np.max(np.abs(other), initial=0.0)))))


def symbols_of(question: DefenceQuestion) -> list[Any]:
    claim = question.claim
    found = [symbol for shape in claim["shapes"].values() for symbol in shape] + list(claim["size_names"].values())
    return [each for each in dict.fromkeys(found) if set(each) != {1}]


def again_line(source: Source, question: DefenceQuestion, used: Counter[str]) -> bool:
    """The families that compare lines: the right choice by another evaluator, other draws and other sizes."""
    claim, family, symbols = question.claim, question.family, symbols_of(question)

    def value(code: str, sizes: Mapping[Any, int], seed: int = 5, changed: Mapping[str, str] | None = None) -> Any:
        values = draw(question, sizes, seed)
        if changed:
            values |= {name: values[other] for name, other in changed.items() if name in values}
        values = {n: v.item() if n in claim["numbers"] else v for n, v in values.items()}
        return run_line(code, values, source, used, claim["arrays"])

    different = {symbol: 11 + 2 * place for place, symbol in enumerate(symbols)}
    if family == "which_line":
        own = value(claim["line"], different)
        codes = {"wrong": claim["wrong"]} | {f"right{n}": code for n, code in enumerate(claim["right"])}
        wrong = [name for name, code in codes.items() if not agree(value(code, different), own)]
        return wrong == [question.key] and {f"`{c}`" for c in codes.values()} == set(question.choices.values())
    if family == "revealing":
        settings = {name: {tuple(symbol): size for symbol, size in s} for name, s in claim["settings"].items()}
        hidden = [n for n, s in settings.items() if agree(value(claim["other"], s), value(claim["line"], s))]
        expected = hidden if claim["hidden_once"] else [name for name in settings if name not in hidden]
        return expected == [question.key]
    sizes = {tuple(symbol): size for symbol, size in claim["sizes"]}
    if family == "swapped":
        one, other = claim["swapped"]
        own, found = value(claim["line"], sizes), value(claim["line"], sizes, changed={one: other, other: one})
        if found is None:
            return question.key == "raises"
        kind = "shape" if found.shape != own.shape else "same" if agree(found, own) else "silent"
        return kind == question.key
    found = value(claim["code"], sizes)
    return found is not None and tuple(found.shape) == shape_in(question.key_text)


def plain_gradients(problem: Problem, source: Source) -> dict[str, Tensor]:
    """{name: its gradient} by one call of backward through the whole forward pass; no tape and no cut."""
    inputs = {
        n: v.clone().requires_grad_() if isinstance(v, Tensor) and v.is_floating_point() else v
        for n, v in problem.inputs.items()
    }

    class Watched(Plain):
        def __setattr__(self, name: str, value: Any) -> None:
            if isinstance(value, Tensor) and value.is_floating_point() and value.requires_grad and name not in inputs:
                value.retain_grad()
            super().__setattr__(name, value)

    with torch.enable_grad():
        plain = Watched(inputs, {})
        source.lesson.module.forward(plain)
        torch.stack([(plain.computed[n] * end).sum() for n, end in problem.ends.items()]).sum().backward()
    return {
        n: v.grad
        for n, v in plain.computed.items()
        if isinstance(v, Tensor) and v.is_leaf | v.retains_grad and v.grad is not None
    }


def gradients_here(source: Source, module: ModuleType) -> dict[str, Tensor]:
    """{gradient: value} of a backward pass of a module, in this process, each step with the results before it."""
    problem = source.lesson.public_chain
    known: dict[str, Any] = problem.given | {f"d{n}": v for n, v in problem.chain.items()}

    def called(function: Any) -> Any:
        names = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
        return function(**{n: known[n].clone() if isinstance(known[n], Tensor) else known[n] for n in names})

    if source.lesson.joint is not None:
        pieces = source.lesson.joint.pieces(called(getattr(module, source.lesson.joint.name)))
        return {n: v for n, v in pieces.items() if isinstance(v, Tensor)} if isinstance(pieces, dict) else {}
    for name in reversed(problem.graph.names):
        step = f"d{name}"
        if step in source.right and hasattr(module, step):
            known[step] = called(getattr(module, step))
    return known


def again_cmp(source: Source, question: DefenceQuestion, used: Counter[str]) -> bool:
    """Lines on the published problem by numpy in float64, against backward through the whole forward pass."""
    claim, problem = question.claim, source.lesson.public
    reference = plain_gradients(problem, source)[claim["target"]].double().numpy()
    given = problem.given | {f"d{name}": value for name, value in problem.upstream.items()}
    values = {
        n: given[n].double().numpy() if isinstance(given[n], Tensor) and given[n].is_floating_point() else given[n]
        for n in claim["names"]
    }
    values = {n: v.numpy() if isinstance(v, Tensor) else v for n, v in values.items()}

    def report(code: str) -> str:
        found = run_line(code, values, source, used)
        if found is None:
            return "raises"
        try:
            one, other = np.broadcast_arrays(found, reference)
        except ValueError:
            return "raises"
        return "not noticed" if np.allclose(one, other, rtol=1e-5, atol=1e-8) else "neither"

    missed = tuple(name for name, code in claim["codes"].items() if report(code) == "not noticed")
    return set(missed or ("none_of_them",)) == set(question.key)


def module_of(text: str) -> ModuleType:
    """A file of the course as a module."""
    module = ModuleType("backward")
    exec(compile(text, "backward.py", "exec"), vars(module))
    return module


class Unmeasured(ModuleTarget):
    """Measures nothing, and stops a loop without end early: a known mistake may be one."""

    def __init__(self, namespace: Any) -> None:
        super().__init__(namespace)
        self._cap = MAX_OPERATORS

    def measured(self, key: object, name: str, args: list[Any], yardstick: str, cpu_ratio: float | None) -> Measurement:
        raise CallFailed(Answer("raised"), name)


@contextlib.contextmanager
def limited_time(seconds: float = 5.0) -> Iterator[None]:
    """Raises TimeoutError in code that computes for longer: a mutant's loop may have no end."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"it computes for more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def holds_here(lesson: Lesson, row: str, module: ModuleType, seed: int = PUBLIC_SEED) -> bool:
    """Whether a row's public example holds for a module, in this process, on the problems of a seed."""
    student = LocalStudent(vars(module), [])
    check = Example(lesson, lesson.item_for(row), student, Unmeasured(module), ProblemBook(seed))
    try:
        with limited_time():
            return run_example(examples_of(lesson)[row], check) is None
    except Exception:
        return False


def again_red_rows(source: Source, question: DefenceQuestion) -> bool:
    """Examples on problems of another seed, or a backward pass, in this process, on the file with a changed text."""
    claim = question.claim
    text = with_text_replaced(source.text, claim["function"], claim["line"], claim["code"])
    if not text:  # the function has this expression in several places
        changed = with_line(plain_part(source.text), claim["function"], claim["name"], claim["line"], claim["code"])
        text = f"{source.text}\n\n{changed}"
    module = module_of(text)
    if source.lesson.item_for(claim["asked"][0]).target is None:
        red = {row for row in claim["asked"] if not holds_here(source.lesson, row, module, PUBLIC_SEED + 1)}
        return red == set(question.key)
    usual, found = gradients_here(source, module_of(source.text)), gradients_here(source, module)
    red = {row for row in claim["asked"] if not torch.allclose(found[row], usual[row], rtol=1e-5, atol=1e-8)}
    return red == set(question.key)


def with_text_replaced(text: str, function: str, old: str, new: str) -> str:
    """The file with the characters of one expression of a function replaced; "" unless it has that expression once."""
    tree = ast.parse(text)
    definition = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function][-1]
    found = [n for n in ast.walk(definition) if isinstance(n, ast.expr) and ast.unparse(n) == old]
    if len(found) != 1:
        return ""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    (node,) = found
    assert node.end_lineno is not None and node.end_col_offset is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = text.encode()
    return (whole[:start] + f"({new})".encode() + whole[end:]).decode()


def is_confirmed(source: Source, question: DefenceQuestion, used: Counter[str]) -> bool:
    if question.family == "by_hand":
        used["finite differences"] += 1
        return again_by_hand(source, question)
    if question.family == "red_rows":
        used["the changed file, in this process"] += 1
        return again_red_rows(source, question)
    if "codes" in question.claim:
        return again_cmp(source, question, used)
    return again_line(source, question, used)
