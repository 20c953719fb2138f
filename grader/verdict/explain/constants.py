"""Constants by name: what a constant factor is called, made of the sizes and settings of a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SMALLEST_RTOL_OF_FLOAT32 = 1e-7
"""From this relative distance on, a number is not known to seven digits."""
NUMBERS_IN_WORDS = frozenset({"one half"})


def value_here(label: str, value: float, unit: str = "") -> str:
    """ " (here 6)" behind an expression such as N², nothing behind a number."""
    is_number = label in NUMBERS_IN_WORDS or not any(letter.isalpha() for letter in label)
    return "" if is_number else f" (here {abs(value):.6g}{unit})"


def factors_of(sizes: Mapping[str, int]) -> dict[str, float]:
    """{a constant in words: its value}, made of sizes, simplest first. What divides by zero is left out."""
    factors: dict[str, float] = {"2": 2.0, "one half": 0.5}
    for label, n in sizes.items():
        factors |= {label: n, f"1/{label}": 1 / n}
    for label, n in sizes.items():
        factors |= {f"{label}²": n * n, f"1/{label}²": 1 / n**2}
        if n > 1:
            factors |= {f"({label}−1)": n - 1, f"1/({label}−1)": 1 / (n - 1)}
            factors |= {f"{label}/({label}−1)": n / (n - 1), f"({label}−1)/{label}": (n - 1) / n}
        factors |= {f"{label}/({label}+1)": n / (n + 1), f"({label}+1)/{label}": (n + 1) / n, f"2/{label}": 2 / n}
    return factors


def shares_of(settings: Mapping[str, float]) -> dict[str, float]:
    """{a constant in words: its value}, for settings such as a momentum, a rate or a share."""
    factors: dict[str, float] = {}
    for label, s in settings.items():
        if s not in (0, 1):
            factors |= {label: s, f"1/{label}": 1 / s, f"(1−{label})": 1 - s, f"(1+{label})": 1 + s}
            factors |= {f"2·{label}": 2 * s, f"(1−{label})/{label}": (1 - s) / s, f"{label}/(1−{label})": s / (1 - s)}
            factors |= {f"(1−2·{label})": 1 - 2 * s}
    return {label: value for label, value in factors.items() if value}


def name_of(values: Sequence[float], tables: Sequence[Mapping[str, float]], rtol: float) -> str | None:
    """The name of a number with these values, one per problem: "1", "−n", "0.25" ...; None where it has none.

    `tables` hold each problem's constants by name. A number that is the same on all problems needs no name, but gets
    one that fits on all of them. `rtol` is a relative distance.
    """
    if not values or any(value * values[0] <= 0 for value in values):
        return None
    sign = "−" if values[0] < 0 else ""
    magnitudes = [abs(value) for value in values]
    is_same = max(magnitudes) - min(magnitudes) <= rtol * magnitudes[0]
    if is_same and abs(magnitudes[0] - 1) <= rtol:
        return sign + "1"
    for label in tables[0]:
        constants = [table.get(label, float("nan")) for table in tables]
        for prefix, signed in (("", values), ("−", [-value for value in values])):
            if all(abs(value - c) <= rtol * abs(c) for value, c in zip(signed, constants, strict=True)):
                return prefix + label
    digits = 7 if rtol < SMALLEST_RTOL_OF_FLOAT32 else 5
    return f"{sign}{magnitudes[0]:.{digits}g}" if is_same else None
