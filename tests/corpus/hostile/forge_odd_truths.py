"""A tensor of truth values whose bytes are neither 0 nor 1, which C++ may take for anything."""
# group: forged frames
# rows: shape
# message: bool
# unlocked: safe

from frames import instead_of_answers


def odd(step, answer):
    return {"tensor": {"dtype": "bool", "shape": list(answer.tensor.shape)}}, b"\xaa" * answer.tensor.numel()


instead_of_answers(odd)


def dlogits(logits):
    return logits
