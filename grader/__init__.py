"""Backprop Ninja: exercises in writing backpropagation by hand, and the grader that judges them."""

from typing import Any

__version__ = "0.1.0"


def cmp(name: str, gradient: object, value: object) -> None:
    """The lecture's comparison, `cmp("probs", dprobs, probs)`, and below it what is wrong: see grader.dojo.notebook.

    `gradient` is yours, `value` the tensor of your forward pass whose `.grad` autograd has filled.
    """
    from grader.dojo.notebook import print_comparison  # torch comes with it

    print_comparison(name, gradient, value)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext grader` in a notebook: adds `%%check 03.dprobs`, see grader.dojo.notebook."""
    from grader.dojo.notebook import load_magic  # torch comes with it

    load_magic(shell)
