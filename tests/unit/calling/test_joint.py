"""A function that returns many gradients: what it may return, and which of it belongs to which name."""

from __future__ import annotations

import torch

from grader.calling.steps import Joint, StepInput, as_stack, call_joint, groups_of_values

JOINT = Joint("gradients", ("loss", "dW", "db", "dC"))
W, B, C = torch.zeros(2, 3, 4), torch.ones(3), torch.full((2,), 2.0)


def test_a_result_may_be_any_tree() -> None:
    for result in [
        (1.0, W, B, C),
        (1.0, [W, B, C]),
        (1.0, (W, (B, [C]))),
        {"loss": 1.0, "dW": W, "db": B, "dC": C},
        (1.0, {"W": W, "b": B, "C": C}),
        (1.0, {"dC": C, "b": B, "W": W}),
        (1.0, {"b": B}, W, C),
        {"loss": 1.0, "C": C, "blocks": W, "W": W, "b": B},
    ]:
        found = JOINT.pieces(result)
        assert isinstance(found, dict)
        assert list(found) == ["loss", "dW", "db", "dC"]
        assert found["loss"] == 1.0 and found["dW"] is W and found["db"] is B and found["dC"] is C


def test_a_dict_may_lack_names_and_a_tuple_may_not() -> None:
    assert JOINT.pieces((1.0, {"b": B})) == {"loss": 1.0, "db": B}
    assert JOINT.pieces({"b": B}) == {"db": B}
    assert JOINT.pieces((1.0, W)) == "`gradients` returned 2 values; expected 4 values: loss, dW, db, dC."
    assert (
        JOINT.pieces((1.0, {"b": B}, W, C, W)) == "`gradients` returned 5 values; expected 4 values: loss, dW, db, dC."
    )
    assert JOINT.pieces({"x": B}) == "`gradients` returned a dict without any of the keys loss, dW, db, dC."
    assert JOINT.pieces(None) == "`gradients` returned None; expected 4 values: loss, dW, db, dC."


def test_a_list_of_tensors_of_one_shape_is_one_tensor() -> None:
    assert torch.equal(as_stack([W[0], W[1]]), W)  # type: ignore[arg-type]
    for other in ([W, B], [], [W, None], W, None, 3.0):
        assert as_stack(other) is other


def test_a_gradient_per_layer_is_the_gradient_of_the_parameter() -> None:
    def gradients(parameters: dict[str, torch.Tensor]) -> object:
        assert list(parameters) == ["W", "b"]
        parameters["W"] += 1  # its own copy
        return torch.tensor(1.0), {"W": [parameters["W"][0], parameters["W"][1]], "b": None, "dC": [B, W]}

    values = {"loss": torch.tensor(0.0), "W": W, "b": B, "C": C}
    given = values | groups_of_values(values, {"parameters": {"W": "W", "b": "b"}})
    answers = call_joint(gradients, JOINT, JOINT.returns, StepInput(given, {}, torch.float64))
    assert answers["dW"].tensor is not None and torch.equal(answers["dW"].tensor, W + 1)
    assert (answers["db"].outcome, answers["dC"].kind) == ("todo", "list of 2")
    assert not W.any()
