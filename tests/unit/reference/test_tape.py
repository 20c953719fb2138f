"""The tape against the same maths written a second time, in plain torch."""

from __future__ import annotations

import inspect
import linecache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reference.forward_errors import TapeError
from grader.reference.problem import Draw, Problem
from grader.reference.tape import record_forward, total

# The lecture's forward pass once more, a line for each name; the parameters of a line are what it reads.
LECTURE: dict[str, Any] = {
    "emb": lambda C, Xb: C[Xb],
    "embcat": lambda emb: emb.view(emb.shape[0], -1),
    "hprebn": lambda embcat, W1, b1: embcat @ W1 + b1,
    "bnmeani": lambda hprebn, n: 1 / n * hprebn.sum(0, keepdim=True),
    "bndiff": lambda hprebn, bnmeani: hprebn - bnmeani,
    "bndiff2": lambda bndiff: bndiff**2,
    "bnvar": lambda bndiff2, n: 1 / (n - 1) * bndiff2.sum(0, keepdim=True),
    "bnvar_inv": lambda bnvar: (bnvar + 1e-5) ** -0.5,
    "bnraw": lambda bndiff, bnvar_inv: bndiff * bnvar_inv,
    "hpreact": lambda bngain, bnraw, bnbias: bngain * bnraw + bnbias,
    "h": lambda hpreact: torch.tanh(hpreact),
    "logits": lambda h, W2, b2: h @ W2 + b2,
    "logit_maxes": lambda logits: logits.max(1, keepdim=True).values,
    "norm_logits": lambda logits, logit_maxes: logits - logit_maxes,
    "counts": lambda norm_logits: norm_logits.exp(),
    "counts_sum": lambda counts: counts.sum(1, keepdim=True),
    "counts_sum_inv": lambda counts_sum: counts_sum**-1,
    "probs": lambda counts, counts_sum_inv: counts * counts_sum_inv,
    "logprobs": lambda probs: probs.log(),
    "loss": lambda logprobs, Yb, n: -logprobs[range(n), Yb].mean(),
}


def reads(name: str) -> list[str]:
    return list(inspect.signature(LECTURE[name]).parameters)


GRADIENTS = sorted({read for name in LECTURE for read in reads(name)} - {"Xb", "Yb", "n"})


def floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def backward_of_the_lecture(inputs: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Every gradient by one loss.backward(), as the lecture gets them: retain_grad on every line."""
    values = {name: value.clone().requires_grad_() if floating(value) else value for name, value in inputs.items()}
    for name, line in LECTURE.items():
        values[name] = line(*(values[read] for read in reads(name)))
        values[name].retain_grad()
    values["loss"].backward()
    return {name: value.grad for name, value in values.items() if floating(value)}


def one_line_backward(name: str, problem: Problem) -> torch.Tensor:
    """d`name` from the problem's upstream gradients: each line that reads `name`, differentiated by itself."""
    leaf = problem.values[name].clone().requires_grad_()
    lines = [line for line in LECTURE if name in reads(line)]
    outputs = [LECTURE[line](*((leaf if r == name else problem.values[r]) for r in reads(line))) for line in lines]
    (gradient,) = torch.autograd.grad(outputs, [leaf], [problem.upstream[line] for line in lines])
    return gradient


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_chain_is_loss_backward_to_the_last_bit(lesson, dtype):
    problem = lesson.problem(Draw(), lesson.seed, dtype, random_upstream=False)
    inputs = {name: problem.values[name] for name in problem.graph.inputs}
    expected = backward_of_the_lecture(inputs)
    assert set(GRADIENTS) == set(problem.graph.names) - {"loss"}
    for name in GRADIENTS:
        assert torch.equal(problem.chain[name], expected[name]), name
        assert torch.equal(problem.reference(name), expected[name]), name  # fed the true upstream gradients


def test_who_feeds_whom(lesson):
    graph = lesson.public.graph
    for name in GRADIENTS:
        assert graph.consumers[name] == tuple(line for line in LECTURE if name in reads(line)), name
    assert graph.parents["hprebn"] == ("W1", "b1", "embcat")  # in the order of the forward pass, inputs first
    assert graph.parents["loss"] == ("logprobs",)  # not Yb, not n
    assert graph.sinks == ("loss",)
    assert graph.fused == ()
    assert graph.above("probs") == {"logprobs", "loss"}
    assert graph.above("C") == set(LECTURE)
    assert graph.above("loss") == frozenset()


def test_any_upstream_gradients_will_do(lesson):
    for name in GRADIENTS:
        draw = Draw({"batch": 6, "block": 2, "vocabulary": 11, "embedding": 4, "hidden": 7})
        problem = lesson.problem(draw, seed=1)
        torch.testing.assert_close(problem.reference(name), one_line_backward(name, problem), rtol=1e-12, atol=1e-12)
        assert problem.reference(name).shape == problem.values[name].shape


def test_upstream_gradients_are_random_but_for_the_loss(lesson):
    one, again, other = (lesson.problem(Draw(), seed) for seed in (1, 1, 2))
    assert float(one.upstream["loss"]) == 1
    for name in GRADIENTS:
        assert torch.equal(one.upstream[name], again.upstream[name])
        assert not torch.equal(one.upstream[name], other.upstream[name])
        assert not torch.equal(one.upstream[name], one.reference(name))  # each drawn on its own, not chained


# Small forward passes of their own -----------------------------------------------------------------------------------


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_fused_names_are_kept_but_are_one_step_with_their_consumer():
    def forward(t):
        with t.fused():
            t.e = t.x.exp()
            t.s = t.e.sum(1, keepdim=True)
        t.p = t.e / t.s
        t.loss = t.p.square().sum()

    graph = record_forward(forward, {"x": normal(3, 4)})
    assert graph.fused == ("e", "s")
    assert graph.names == ("x", "p", "loss")
    assert graph.consumers["x"] == ("p",)
    assert graph.sources["p"] == {"x"}
    assert torch.equal(graph.values["e"], normal(3, 4).exp())
    x, upstream = normal(3, 4).requires_grad_(), normal(3, 4, seed=1)
    (expected,) = torch.autograd.grad(torch.softmax(x, 1), [x], upstream)
    torch.testing.assert_close(graph.vjp("p", upstream)["x"], expected)


def test_a_read_without_a_gradient_is_no_edge():
    def forward(t):
        t.a = t.x * t.w.shape[0]  # a shape
        t.b = t.x * t.w.detach()  # a constant
        t.k = t.w.argmax(1)
        t.c = t.x[t.k]  # an index
        t.m = t.n + 1
        t.d = t.x * t.w * t.m

    graph = record_forward(forward, {"x": normal(3, 3), "w": normal(3, 3, seed=1), "n": 3})
    assert graph.sources["a"] == graph.sources["b"] == {"x", "w"} and graph.sources["c"] == {"x", "k"}
    assert graph.consumers == {"x": ("a", "b", "c", "d"), "w": ("d",), **dict.fromkeys("abcd", ())}
    assert graph.values["k"].dtype == torch.int64 and graph.values["m"] == 4  # whole numbers are never cut
    assert not graph.values["a"].requires_grad


def test_unreduced_is_asked_for_where_a_value_is_broadcast(lesson):
    problem = lesson.problem(Draw({"batch": 5, "hidden": 7, "vocabulary": 9, "block": 2, "embedding": 3}), seed=4)
    v, d = problem.values, problem.upstream
    assert list(problem.unreduced("b1")) == ["hprebn"]
    assert torch.equal(problem.unreduced("b1")["hprebn"], d["hprebn"])
    assert torch.equal(problem.unreduced("bngain")["hpreact"], d["hpreact"] * v["bnraw"])
    assert torch.equal(problem.unreduced("logit_maxes")["norm_logits"], -d["norm_logits"])
    assert problem.unreduced("bnraw") == {}  # no broadcast
    assert problem.unreduced("W1") == {}  # a matrix product is none


def test_three_contributions_are_added_in_autograd_s_order():
    """Addition is not associative: float32 tells the order, and only one order is loss.backward()'s."""
    lines = {"a": lambda x: x.exp(), "b": lambda x: x.sin() * 3, "c": lambda x: (x**2).mean(1, keepdim=True)}

    def forward(t):
        for name, line in lines.items():
            setattr(t, name, line(t.x))
        t.loss = (t.a * t.b - t.c).sum()

    problem = Problem(forward, lambda g: {"x": torch.randn(40, 50, generator=g)}, Draw(), 1, torch.float32, False)
    x = problem.values["x"].clone().requires_grad_()
    a, b, c = (line(x) for line in lines.values())
    (a * b - c).sum().backward()
    assert torch.equal(problem.reference("x"), x.grad)
    assert torch.equal(problem.chain["x"], x.grad)
    assert not torch.equal(total(reversed(problem.branches("x").values())), x.grad)


def test_recording_needs_no_grad_mode():
    with torch.no_grad():
        graph = record_forward(lambda t: setattr(t, "y", t.x**2), {"x": normal(3)})
    torch.testing.assert_close(graph.vjp("y", torch.ones(3, dtype=torch.float64))["x"], 2 * normal(3))


OPERATIONS = (
    lambda a, b: a * b,
    lambda a, b: a - b.sum(0, keepdim=True),
    lambda a, b: a.tanh(),
    lambda a, b: a + b.mean(1, keepdim=True),
    lambda a, b: torch.softmax(a, 1) * 2 - b,
    lambda a, b: a.max(1, keepdim=True).values * b,
)


class Plain:
    """In place of a tape: plain torch, and every value retains its gradient."""

    def __init__(self, inputs: dict[str, torch.Tensor]) -> None:
        vars(self).update({name: value.clone().requires_grad_() for name, value in inputs.items()})

    def __setattr__(self, name: str, value: torch.Tensor) -> None:
        value.retain_grad()
        vars(self)[name] = value


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=12))
def test_any_graph_s_chain_is_autograd_s(steps):
    """Random graphs: every line reads two earlier values; the loss reads the last one."""

    def forward(t):
        names = ["x", "w"]
        for number, (operation, first, second) in enumerate(steps):
            a, b = (getattr(t, names[place % len(names)]) for place in (first, second))
            setattr(t, f"v{number}", OPERATIONS[operation](a, b))
            names.append(f"v{number}")
        t.loss = getattr(t, names[-1]).square().sum()

    inputs = {"x": normal(3, 4), "w": normal(3, 4, seed=1)}
    graph, plain = record_forward(forward, inputs), Plain(inputs)
    forward(plain)
    plain.loss.backward()
    chain = graph.chain({sink: torch.zeros_like(graph.values[sink]) for sink in graph.sinks} | {"loss": torch.ones(())})
    for name in graph.names:
        expected = getattr(plain, name).grad
        expected = torch.zeros_like(graph.values[name]) if expected is None else expected
        torch.testing.assert_close(chain[name], expected.to(chain[name].dtype), rtol=1e-9, atol=1e-9)


# A forward pass in other styles --------------------------------------------------------------------------------------


def test_a_loop_names_values_and_each_has_its_line():
    def forward(t):
        for i in range(1, 4):
            setattr(t, f"h{i}", torch.tanh(getattr(t, f"h{i - 1}") @ getattr(t, f"w{i}")))

    inputs = {"h0": normal(3, 3)} | {f"w{i}": normal(3, 3, seed=i) for i in (1, 2, 3)}
    graph = record_forward(forward, inputs)
    assert graph.parents["h2"] == ("w2", "h1")
    assert {name: place.line for name, place in graph.places.items()} == dict.fromkeys(
        ("h1", "h2", "h3"), forward.__code__.co_firstlineno + 2
    )


def added(t):
    t.z = t.x * 2
    t.z += 1


def written_into(t):
    t.z = t.x * 2
    t.z[0] = 1


def by_a_method(t):
    t.z = t.x * 2
    t.z.mul_(3)


def counted(t):
    t.z = t.x.argmax()
    t.z += 1


def changed_in_a_list(t):
    t.z = [t.x]
    t.z[0] = t.x + 1


def set_twice(t):
    t.y = t.x * 2
    t.y = t.y + 1


def set_as_a_list_and_again(t):
    t.y = [t.x]
    t.y = t.x + 1


def over_an_input(t):
    t.y = t.x * 2
    t.x = t.y


def over_a_name_of_the_tape(t):
    t.y = t.x * 2
    t.fused = t.y


def read_before_it_is_set(t):
    t.y = t.x * 2
    t.z = t.Y + 1


def complex_numbers(t):
    t.y = t.x * 2
    t.z = torch.fft.fft(t.x)


CHANGED = (
    "`{line}` changes `t.z`, but a name stands for one value: give the new value a name of its own, such as "
    "`t.z2 = t.z + ...`."
)
TAKEN = "` is set twice, or is a name of the tape itself. Each name stands for one value: choose another."
REFUSED = {
    **dict.fromkeys((added, written_into, by_a_method, counted, changed_in_a_list), CHANGED),
    **dict.fromkeys((set_twice, set_as_a_list_and_again), f"`t.y{TAKEN}"),
    over_an_input: f"`t.x{TAKEN}",
    over_a_name_of_the_tape: f"`t.fused{TAKEN}",
    read_before_it_is_set: (
        "`t.Y` is read before it is set. Set it first, or give it as an input; set so far: x, n, y."
    ),
    complex_numbers: "`t.z` is complex (complex128), and only real values can have a name: name its real and its "
    "imaginary part, such as `t.z_re` and `t.z_im`.",
}


@pytest.mark.parametrize("forward", REFUSED, ids=lambda forward: forward.__name__)
def test_what_cannot_be_recorded_is_a_sentence_with_its_line(forward):
    line = forward.__code__.co_firstlineno + 2
    with pytest.raises(TapeError) as caught:
        record_forward(forward, {"x": normal(4), "n": 3})
    sentence = REFUSED[forward].format(line=linecache.getline(__file__, line).strip())
    assert str(caught.value) == f"{__file__}:{line}: {sentence}"


def test_an_input_that_is_a_list_of_tensors_is_refused():
    def inputs(generator):
        return {"x": normal(2), "layers": [normal(2), normal(2)]}

    with pytest.raises(TapeError, match=r"`layers` is a list of tensors, .* such as `layers1` and `layers2`") as caught:
        Problem(lambda t: None, inputs, Draw(), 1)
    assert str(caught.value).startswith(f"{__file__}:{inputs.__code__.co_firstlineno}: ")


def stack_of_layers(t):
    t.h, t.z = [t.x], []
    for layer in range(t.W.shape[0]):
        t.z.append(t.h[layer] @ t.W[layer])
        t.h.append(t.h[-1] + torch.tanh(t.z[-1]))
    t.loss = (t.h[len(t.h) - 1] @ t.x.T).square().sum()


def test_a_list_has_a_name_for_each_entry_and_the_chain_goes_through_all_of_them():
    inputs = {"x": normal(4, 3), "W": normal(3, 3, 3)}
    graph = record_forward(stack_of_layers, inputs)
    assert graph.lists == {"h": ("h[0]", "h[1]", "h[2]", "h[3]"), "z": ("z[0]", "z[1]", "z[2]")}
    assert graph.parents["h[2]"] == ("h[1]", "z[1]") and graph.parents["z[1]"] == ("W", "h[1]")
    assert graph.consumers["W"] == ("z[0]", "z[1]", "z[2]")
    leaves = {name: value.clone().requires_grad_() for name, value in inputs.items()}
    h = leaves["x"]
    for W in leaves["W"]:
        h = h + torch.tanh(h @ W)
    (h @ leaves["x"].T).square().sum().backward()
    chain = graph.chain({"loss": torch.ones((), dtype=torch.float64)})
    for name, leaf in leaves.items():
        torch.testing.assert_close(chain[name], leaf.grad, rtol=1e-12, atol=1e-12)


def test_a_step_can_have_a_whole_list_or_a_dict_of_values():
    groups = {"parameters": {"weight": "W", "start": "x"}}
    problem = Problem(
        stack_of_layers, lambda generator: {"x": normal(4, 3), "W": normal(3, 3, 3)}, Draw(), 1, groups=groups
    )
    assert [value.shape for value in problem.given["z"]] == [(4, 3)] * 3
    assert torch.equal(problem.given["parameters"]["weight"], problem.values["W"])


@pytest.mark.parametrize("ends", ["out", "loss and other"])
def test_one_function_for_all_gradients_needs_a_pass_that_ends_in_its_loss(ends):
    def forward(t):
        t.out = t.x * 2
        if ends != "out":
            t.loss = t.x.sum()

    problem = Problem(forward, lambda generator: {"x": normal(3)}, Draw(), 1)
    with pytest.raises(TapeError, match=r"forward.py ends in `t.out`, and `backward`, .*gets no upstream gradient"):
        problem.refuse_open_ends("backward", Path("forward.py"))
    whole = Problem(lambda t: setattr(t, "loss", t.x.sum()), lambda generator: {"x": normal(3)}, Draw(), 1)
    whole.refuse_open_ends("backward", Path("forward.py"))
