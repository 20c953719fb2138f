"""Values by how they are computed: sums and products whose operands are in a fixed order, with the sign outside.

Long keys are replaced by their hash, so that the time is linear in the length of the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

MAX_NORMAL_FORM_CHARACTERS = 160
MAX_TERMS = 64


class NormalValue(NamedTuple):
    """A value by how it is computed. `terms` are those of a sum, `factors` the (multiplied, divided) of a product.

    The sign is 1 or -1, or 0 for `x - x`: with the same label for two names, nobody knows which of them comes first.
    """

    sign: int
    key: str
    terms: tuple[tuple[int, str], ...] = ()
    factors: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def __str__(self) -> str:
        return f"-{self.key}" if self.sign < 0 else self.key


def short(text: str) -> str:
    """The text, or its hash if it is long."""
    if len(text) <= MAX_NORMAL_FORM_CHARACTERS:
        return text
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def plain(key: str, sign: int = 1) -> NormalValue:
    return NormalValue(sign, short(key))


def sum_of(terms: Iterable[NormalValue]) -> NormalValue:
    found: list[tuple[int, str]] = []
    for term in terms:
        is_sum = term.terms and len(found) + len(term.terms) <= MAX_TERMS
        found += [(term.sign * sign, key) for sign, key in term.terms] if is_sum else [(term.sign, term.key)]
    found.sort(key=lambda entry: (entry[1], entry[0]))
    sign = next((each for each, _ in found if each), 0)
    own = tuple(((sign or 1) * each, key) for each, key in found)
    if Counter(own) == Counter((-each, key) for each, key in own):
        sign = 0
    text = "".join(("+" if each > 0 else "-") + key for each, key in own)
    return NormalValue(sign, short(f"({text})"), own)


def product_of(multiplied: Sequence[NormalValue], divided: Sequence[NormalValue] = ()) -> NormalValue:
    sign = 1
    above: list[str] = []
    below: list[str] = []
    for value, own, other in ((v, above, below) for v in multiplied):
        sign *= value.sign
        _add_factors(value, own, other)
    for value in divided:
        sign *= value.sign
        _add_factors(value, below, above)
    above, below = sorted(key for key in above if key != "1"), sorted(key for key in below if key != "1")
    if len(above) == 1 and not below:
        only = next((v for v in multiplied if v.key == above[0]), None)
        return only._replace(sign=sign) if only else NormalValue(sign, above[0])
    text = "*".join(above or ["1"]) + "".join(f"/{key}" for key in below)
    return NormalValue(sign, short(f"({text})"), (), (tuple(above), tuple(below)))


def _add_factors(value: NormalValue, own: list[str], other: list[str]) -> None:
    above, below = value.factors
    if (above or below) and len(own) + len(above) + len(below) <= MAX_TERMS:
        own += above
        other += below
    else:
        own.append(value.key)
