"""Takes the worker's place: zeros, well-formed and in time, as the answer to everything."""
# group: forged frames
# rows: failed
# unlocked: safe

from frames import instead_of_answers


def zeros(step, answer):
    shape = list(answer.tensor.shape)
    return {"tensor": {"dtype": "float64", "shape": shape}}, bytes(8 * answer.tensor.numel())


instead_of_answers(zeros)


def dlogits(logits):
    return logits
