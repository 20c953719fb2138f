"""Claims to have changed five thousand arguments with long names, each to stand in the message."""
# group: forged frames
# rows: failed
# message: changed `logits` in place
# unlocked: safe

from frames import instead_of_answers

NAMES = ["logits", *(f"{number:05}" + "x" * 80 for number in range(5_000))]


def changed(step, answer):
    kind = {"dtype": "float64", "shape": list(answer.tensor.shape)}
    return {"tensor": kind, "changed": NAMES, "uses": NAMES}, bytes(8 * answer.tensor.numel())


instead_of_answers(changed)


def dlogits(logits):
    return logits
