"""Numbers with a name: what a constant factor is called, made of the sizes and settings of a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def factors_of(sizes: Mapping[str, int]) -> dict[str, float]:
    """{a constant in words: its value}, for sizes larger than 1."""
    factors: dict[str, float] = {"2": 2.0, "one half": 0.5}
    for label, n in sizes.items():
        factors |= {label: n, f"1/{label}": 1 / n, f"{label}²": n * n, f"1/{label}²": 1 / n**2}
        factors |= {f"({label}−1)": n - 1, f"1/({label}−1)": 1 / (n - 1)}
        factors |= {f"{label}/({label}−1)": n / (n - 1), f"({label}−1)/{label}": (n - 1) / n}
        factors |= {f"{label}/({label}+1)": n / (n + 1), f"({label}+1)/{label}": (n + 1) / n, f"2/{label}": 2 / n}
    return factors


def shares_of(settings: Mapping[str, float]) -> dict[str, float]:
    """{a constant in words: its value}, for settings such as a momentum, a rate or a share."""
    factors: dict[str, float] = {}
    for label, s in settings.items():
        if s in (0, 1):
            continue
        factors |= {label: s, f"1/{label}": 1 / s, f"(1−{label})": 1 - s, f"(1+{label})": 1 + s, f"2·{label}": 2 * s}
        factors |= {
            f"(1−{label})/{label}": (1 - s) / s,
            f"{label}/(1−{label})": s / (1 - s),
            f"(1−2·{label})": 1 - 2 * s,
        }
    return {label: value for label, value in factors.items() if value}


def name_of(values: Sequence[float], tables: Sequence[Mapping[str, float]], close: float) -> str | None:
    """What a number is called that has these `values`, one a problem: "1", "−n", "0.25" ...; None where it has no name.

    `tables` hold each problem's constants by name. A number that is the same on all problems needs none; sizes come
    first, where they fit all problems. `close` is a relative distance.
    """
    if not values or any(value * values[0] <= 0 for value in values):
        return None
    sign = "−" if values[0] < 0 else ""
    magnitudes = [abs(value) for value in values]
    same = max(magnitudes) - min(magnitudes) <= close * magnitudes[0]
    if same and abs(magnitudes[0] - 1) <= close:
        return sign + "1"
    for label in tables[0]:
        known = [table.get(label, float("nan")) for table in tables]
        for turned, wanted in (("", values), ("−", [-value for value in values])):
            if all(abs(value - k) <= close * abs(k) for value, k in zip(wanted, known, strict=True)):
                return turned + label
    return f"{sign}{magnitudes[0]:.7g}" if same else None
