"""Backprop Ninja: exercises in writing backpropagation by hand, and the grader that judges them."""

__version__ = "0.1.0"
