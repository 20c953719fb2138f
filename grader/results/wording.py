"""How messages, pages, screens and exports write a list of names, a shape, a figure and a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from grader.results import Lateness, points_in_words, points_text

SECONDS_PER_DAY = 86_400
UNKNOWN_TIME = "Nothing says when this was submitted, and it may be late: it has no points until a person decides."


def listed(words: Sequence[str], most: int | None = None) -> str:
    """ "x", "x and y", "x, y and z"; of more than `most`, "x, y and 3 more". Empty for no words."""
    shown = words if most is None else words[:most]
    if len(shown) < len(words):
        return f"{', '.join(shown)} and {len(words) - len(shown)} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def count_text(number: int, noun: str, plural: str = "") -> str:
    """ "1 variant", "2 variants", "1 entry is", "2 entries are"; `plural` is that of `noun` if it is not its s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed_as_code(words: Sequence[str], most: int | None = None) -> str:
    """The same with each in backticks: "`x`, `y` and `z`"."""
    return listed([f"`{word}`" for word in words], most)


def shortened(text: str, most: int) -> str:
    """A text in one line of at most `most` characters: a longer one ends after a whole word, with " ..."."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - len(" ...")]
    whole, _, _ = cut.rpartition(" ") if line[len(cut)] != " " else (cut, "", "")
    return f"{whole or cut} ..."


def format_shape(sizes: Sequence[int] | None) -> str:
    """A shape in a sentence, as Python writes a tuple: (3, 4), (3,), (); a dash for None."""
    if sizes is None:
        return "–"
    return "(" + ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "") + ")"


def first_names(names: Sequence[str], most: int = 3) -> str:
    """The first `most` names, and how many more there are: `dx, dy, dz and 2 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def figure_text(value: float | None) -> str:
    """A count in full while it is short, else two digits; a dash for None."""
    if value is None or value == 0:
        return "–" if value is None else "0"
    return f"{value:,}" if isinstance(value, int) and value < 1_000_000 else f"{value:.2g}"


def late_texts(late: Lateness) -> tuple[str, str]:
    """What lateness cost, as a sentence and in a few words; both are "" for work on time."""
    if not late.is_known:
        on_time = "The time of submission is not known: it counts as on time."
        return UNKNOWN_TIME if late.cost else on_time, "time unknown"
    if not late.seconds:
        return "", ""
    sentence = note = f"{how_late(late)} late"
    if late.free_days:
        used = count_text(late.free_days, "free late day of the term was", "free late days of the term were")
        sentence += f", and {used} used"
    note += f", −{points_text(late.cost)}" if late.cost else ""
    note += f", {count_text(late.free_days, 'free day')}" if late.free_days else ""
    return f"It was submitted {sentence}. That cost {points_in_words(late.cost) if late.cost else 'no points'}.", note


def how_late(late: Lateness) -> str:
    """`40 minutes`, `3 hours`, `2 days and 1 hour`: rounded up to minutes, and above an hour to hours.

    It agrees with the calendar days that cost points, also where the clocks have changed.
    """
    seconds = min(max(late.seconds, (late.days - 1) * SECONDS_PER_DAY + 1), late.days * SECONDS_PER_DAY)
    if seconds < 3600:
        return count_text(-(-seconds // 60), "minute")
    days, hours = divmod(-(-seconds // 3600), 24)
    parts = (count_text(count, noun) for count, noun in ((days, "day"), (hours, "hour")) if count)
    return " and ".join(parts)


def date_text(date: str) -> str:
    """A date in ISO format as people write it: `Friday 20 November 2026, 23:59 (UTC+01:00)`. Seconds only if not 0."""
    read = datetime.fromisoformat(date)
    seconds = f"{read::%S}" if read.second else ""
    return f"{read:%A} {read.day} {read:%B %Y, %H:%M}{seconds} ({read.tzname() if read.tzinfo else 'local time'})"
