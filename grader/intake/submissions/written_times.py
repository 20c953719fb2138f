"""Dates with a time as platforms and spreadsheets write them. None of them is guessed: an ambiguous one is refused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

CLOCK = re.compile(r"(\d{1,2})[:.h](\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(?:([ap])\.?\s?m\b\.?)?", re.IGNORECASE)
ZONE = re.compile(r"\s*(?:(Z|UTC|GMT)|(?:UTC|GMT)?\s*([+-])(\d\d):?(\d\d))\)?$", re.IGNORECASE)
YEAR_FIRST = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
YEAR_LAST = re.compile(r"\b(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4})\b")
DIGITS_OF_A_DATE = re.compile(r"\d+")
WORD_OF_A_DATE = re.compile(r"[^\W\d_]+")
MONTHS = (
    *("jan|ene|gen", "feb|fev", "mar|maa|mrz", "apr|avr|abr", "may|mai|mei|mag", "jun|juin|giu"),
    *("jul|juil|lug", "aug|aou|ago", "sep|set", "oct|okt|out|ott", "nov", "dec|dez|dic"),
)
"""How the months begin in English, German, French, Spanish, Italian, Portuguese and Dutch, without accents."""
WEEKDAYS = ("martes", "mardi", "martedi", "maandag")
"""Days of the week that begin as a month does."""
TIME_EXAMPLES = '"2026-11-20 23:59", "2026-11-20T22:59:00Z" or "Friday, 20 November 2026, 11:59 PM"'


class UnreadableTime(ValueError):
    """A text that is not a date with a time, or that can be read in two ways; the text says what is wrong."""


def read_time(text: str, day_first: bool | None = None) -> datetime:
    """The time, with a time zone only if the text has one.

    `day_first` says how 04/05/2026 is meant; where it is None, such a date is refused. Raises UnreadableTime.
    """
    text = " ".join(text.split())
    try:
        return datetime.fromisoformat(text) if len(text) > len("2026-11-20") else by_parts(text, day_first)
    except ValueError as error:
        if isinstance(error, UnreadableTime):
            raise
        return by_parts(text, day_first)


def by_parts(text: str, day_first: bool | None) -> datetime:
    date, clock_at = calendar_date(text, day_first)
    found = CLOCK.search(text, clock_at)
    if found is None:
        raise UnreadableTime(f"{text!r} has no time of day; expected a date and a time, such as {TIME_EXAMPLES}")
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4] and not 1 <= hour <= 12:
        raise UnreadableTime(f"{text!r} is no time; expected one such as {TIME_EXAMPLES}")
    if found[4]:
        hour = hour % 12 + 12 * (found[4].lower() == "p")
    rest = text[found.end() :].strip()
    zone = ZONE.fullmatch(rest) if rest else None
    if rest and zone is None:
        raise UnreadableTime(f"{text!r} ends with {rest!r}; expected a time zone such as +01:00 or UTC, or nothing")
    offset = None
    if zone is not None:
        sign = -1 if zone[2] == "-" else 1
        offset = timezone(sign * timedelta(hours=int(zone[3] or 0), minutes=int(zone[4] or 0)))
    try:
        return datetime(*date, hour, minute, second, tzinfo=offset)
    except ValueError:
        raise UnreadableTime(f"{text!r} is no date in the calendar") from None


def calendar_date(text: str, day_first: bool | None) -> tuple[tuple[int, int, int], int]:
    """(year, month and day; the place in the text after them). Raises UnreadableTime."""
    if found := YEAR_FIRST.search(text):
        return (int(found[1]), int(found[2]), int(found[3])), found.end()
    if found := YEAR_LAST.search(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        is_day_first = True if found[2] == "." or first > 12 else False if second > 12 else day_first
        if is_day_first is None and first != second:
            raise UnreadableTime(
                f"{text!r} can be read with the day or the month first; write it as {year}-{second:02}-{first:02} or "
                f"{year}-{first:02}-{second:02}"
            )
        return ((year, second, first) if is_day_first else (year, first, second)), found.end()
    months = [(month, word) for word in WORD_OF_A_DATE.finditer(text) if (month := month_named(word[0]))]
    clock = CLOCK.search(text)
    numbers = [found for found in DIGITS_OF_A_DATE.finditer(text[: clock.start()] if clock else text)]
    years = [found for found in numbers if len(found[0]) == 4]
    days = [found for found in numbers if len(found[0]) <= 2]
    if len(months) != 1 or len(years) != 1 or len(days) != 1:
        raise UnreadableTime(f"{text!r} is no date with a time; expected one such as {TIME_EXAMPLES}")
    return (int(years[0][0]), months[0][0], int(days[0][0])), max(years[0].end(), days[0].end())


def month_named(word: str) -> int:
    """1 to 12; 0 for a word that begins as no month does."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    found = [at for at, begins in enumerate(MONTHS, 1) if plain.startswith(tuple(begins.split("|")))]
    return found[0] if found and plain not in WEEKDAYS else 0


def is_day_first(texts: Iterable[str]) -> bool | None:
    """Whether a column's dates such as 20/11/2026 have the day first; None where none shows it, or they disagree."""
    said = set()
    for text in texts:
        found = YEAR_LAST.search(text)
        if found is not None and found[2] != "." and max(int(found[1]), int(found[3])) > 12:
            said.add(int(found[1]) > 12)
    return said.pop() if len(said) == 1 else None


def seconds_since_1970(time: Any) -> float:
    """The seconds since 1970 of a time with a time zone, as a platform writes it; 0 for anything else."""
    try:
        when = read_time(time) if isinstance(time, str) else None
    except UnreadableTime:
        return 0.0
    return when.timestamp() if when is not None and when.tzinfo is not None else 0.0
