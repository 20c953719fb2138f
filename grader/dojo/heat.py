"""A gradient next to autograd's as two small heat maps, in HTML that changes nothing else on a notebook's page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from torch import Tensor

from grader.publish.pictures import value_map
from grader.results.wording import format_shape

MAX_HEAT_ROWS = 128
"""Rows and columns that are drawn."""


def heat_maps(name: str, found: Tensor, expected: Tensor) -> Markup:
    """`found` (yours) and `expected` (autograd's) side by side, in one scale."""
    scale = float(expected.detach().abs().max()) if expected.numel() else 1.0
    drawn = [(f"your {name}", found), (f"autograd’s {name}", expected)]
    figures = Markup("").join(figure(words, tensor, scale) for words, tensor in drawn if tensor.numel())
    return Markup('<div style="display:flex;flex-wrap:wrap;gap:1em 2em;margin:.3em 0">{}</div>').format(figures)


def figure(words: str, tensor: Tensor, scale: float) -> Markup:
    matrix = tensor.detach().float()
    matrix = matrix.reshape(-1, matrix.shape[-1]) if matrix.ndim > 1 else matrix.reshape(1, -1)
    drawn = value_map(matrix[:MAX_HEAT_ROWS, :MAX_HEAT_ROWS].tolist(), scale)
    return Markup(
        '<figure style="margin:0"><figcaption style="font-size:85%">{} {}</figcaption>'
        '<img alt="{}: blue below zero, orange above it" src="{}" width="{}" height="{}" '
        'style="image-rendering:pixelated;border:1px solid #8888;max-width:none"></figure>'
    ).format(
        words,
        format_shape(tensor.shape),
        words,
        drawn.png,
        drawn.width * drawn.cell_width,
        drawn.height * drawn.cell_height,
    )


def shows_html(shell: Any) -> bool:
    """Whether IPython's shell has a front end with pages: Jupyter, VS Code, Colab; not a terminal."""
    return shell is not None and hasattr(shell, "kernel")


def show_html(html: Markup, plain: str) -> None:
    from IPython.display import display  # there, where this is called

    display({"text/html": str(html), "text/plain": plain}, raw=True)
