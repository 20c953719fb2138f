"""What a notebook's own names spell.

A name may spell a gradient in another way: `grad_probs`, `dL_dprobs`, `dcounts_suminv`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.source.similar_names import MAX_COMPARED_NAME, plain_name

GRADIENT_MARKS = frozenset({"d", "dl", "dloss", "grad", "grads", "gradient", "delta", "der", "deriv", "derivative"})
GRADIENT_MARKS |= {"nabla", "partial", "ableitung", "derivada", "gradiente"}
"""Words that say that a name is a gradient's."""
WORDS_AROUND_A_GRADIENT = GRADIENT_MARKS | {
    *("my", "mine", "manual", "manually", "hand", "own", "by", "of", "wrt", "calc", "computed", "the")
}
GLUED = ("dlossd", "dld", "grad", "d")


def meant_by(name: str, values: Mapping[str, str]) -> str | None:
    """The value whose gradient the name spells; `values` are {plain name: value}. None for a name of nothing else."""
    words = [word for word in name.casefold().split("_") if word]
    rest = [word for word in words if word not in WORDS_AROUND_A_GRADIENT]
    core = "".join(rest)
    if not core or len(name) > MAX_COMPARED_NAME:
        return None
    if len(rest) < len(words) and not GRADIENT_MARKS.isdisjoint(words) and core in values:
        return values[core]
    cores = (core.removeprefix(start) for start in GLUED if core.startswith(start))
    return next((values[each] for each in cores if each in values), None)


def names_by_spelling(values: Iterable[str]) -> dict[str, str]:
    """{plain name: value} of those that no two values share."""
    found: dict[str, set[str]] = {}
    for value in values:
        found.setdefault(plain_name(value), set()).add(value)
    return {name: min(same) for name, same in found.items() if len(same) == 1}
