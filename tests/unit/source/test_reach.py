"""What a function of a file can reach, and what differs between two files: by their text."""

from __future__ import annotations

from grader.source.own_functions import changed_definitions, reachable_definitions

FILE = '''"""About the file."""
import torch

RATE = 0.1
BOTH: int = 2


def low(x):
    # a comment

    return x * RATE


@torch.no_grad()
def middle(x):
    return low(x)

class Layer:
    def backward(self, dout):
        return middle(dout)


def alone(x):
    return x
'''


def test_everything_that_a_function_uses_is_reached() -> None:
    assert reachable_definitions(FILE, ["Layer"]) == {"", "Layer", "middle", "low", "RATE"}
    assert reachable_definitions(FILE, ["alone", "missing"]) == {"", "alone"}


def test_what_changed_has_a_name_or_reaches_everything() -> None:
    assert changed_definitions(FILE, FILE) == frozenset()
    assert changed_definitions(FILE, FILE.replace("0.1", "0.2")) == {"RATE"}
    assert changed_definitions(FILE, FILE.replace("return x * RATE", "return x")) == {"low"}
    assert changed_definitions(FILE, FILE.replace("@torch.no_grad()\n", "")) == {"middle"}
    assert changed_definitions(FILE, FILE + "\ndef alone(x):\n    return -x\n") == {"alone"}
    assert changed_definitions(FILE, FILE.replace("import torch", "import torch, math")) == {""}
    assert changed_definitions(FILE, FILE.replace("def low", "def lower")) == {"low", "lower"}
