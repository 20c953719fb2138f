"""Dates with a time as platforms and spreadsheets write them. None of them is guessed: an ambiguous one is refused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

WRITTEN_TIME = re.compile(
    r"(?P<date>[^:]*[\s,T])(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"\s*(?:(?P<half>[ap])\.?\s?m\b\.?)?\s*(?P<rest>.*)",
    re.IGNORECASE,
)
ZONE = re.compile(r"(?:(?:Z|UTC|GMT)|(?:UTC|GMT)?\s*([+-])(\d\d):?(\d\d))\)?", re.IGNORECASE)
YEAR_FIRST = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
YEAR_LAST = re.compile(r"\b(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4})\b")
PART_OF_A_DATE = re.compile(r"\d+|[^\W\d_]+")
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
    if len(text) > len("2026-11-20"):
        with suppress(ValueError):
            return datetime.fromisoformat(text)
    found = WRITTEN_TIME.fullmatch(text)
    date = calendar_date(text if found is None else found["date"], text, day_first)
    if found is None:
        raise UnreadableTime(f"{text!r} has no time of day; expected a date and a time, such as {TIME_EXAMPLES}")
    hour, zone, offset = int(found["hour"]), ZONE.fullmatch(found["rest"]), None
    if found["half"]:
        if not 1 <= hour <= 12:
            raise UnreadableTime(f"{text!r} is no time; expected one such as {TIME_EXAMPLES}")
        hour = hour % 12 + 12 * (found["half"].lower() == "p")
    if zone is not None:
        minutes = 60 * int(zone[2] or 0) + int(zone[3] or 0)
        offset = timezone(timedelta(minutes=-minutes if zone[1] == "-" else minutes))
    elif found["rest"]:
        expected = "expected a time zone such as +01:00 or UTC, or nothing"
        raise UnreadableTime(f"{text!r} ends with {found['rest']!r}; {expected}")
    try:
        return datetime(*date, hour, int(found["minute"]), int(found["second"] or 0), tzinfo=offset)
    except ValueError:
        raise UnreadableTime(f"{text!r} is no date in the calendar") from None


def calendar_date(date: str, text: str, day_first: bool | None) -> tuple[int, int, int]:
    """Year, month and day of the `date` in a text. Raises UnreadableTime."""
    if found := YEAR_FIRST.search(date):
        return int(found[1]), int(found[2]), int(found[3])
    if found := YEAR_LAST.search(date):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        day_first = True if found[2] == "." or first > 12 else False if second > 12 else day_first
        if day_first is None and first != second:
            raise UnreadableTime(
                f"{text!r} can be read with the day or the month first; write it as {year}-{second:02}-{first:02} or "
                f"{year}-{first:02}-{second:02}"
            )
        return (year, second, first) if day_first else (year, first, second)
    parts = PART_OF_A_DATE.findall(date)
    months, numbers = [month for part in parts if (month := month_named(part))], [p for p in parts if p.isdecimal()]
    days, years = [int(each) for each in numbers if len(each) < 3], [int(each) for each in numbers if len(each) == 4]
    if not len(months) == len(days) == len(years) == 1:
        raise UnreadableTime(f"{text!r} is no date with a time; expected one such as {TIME_EXAMPLES}")
    return years[0], months[0], days[0]


def month_named(word: str) -> int:
    """1 to 12; 0 for a word that begins as no month does."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    found = [at for at, begins in enumerate(MONTHS, 1) if plain.startswith(tuple(begins.split("|")))]
    return found[0] if found and plain not in WEEKDAYS else 0


def is_day_first(texts: Iterable[str]) -> bool | None:
    """Whether a column's dates such as 20/11/2026 have the day first; None where none shows it, or they disagree."""
    written = filter(None, map(YEAR_LAST.search, texts))
    dates = [(int(found[1]), int(found[3])) for found in written if found[2] != "."]
    said = {first > 12 for first, second in dates if max(first, second) > 12}
    return said.pop() if len(said) == 1 else None


def platform_time(text: Any) -> datetime | None:
    """A time with a time zone, as a platform writes it, in UTC; None for anything else."""
    try:
        when = read_time(text) if isinstance(text, str) else None
    except UnreadableTime:
        return None
    return when.astimezone(UTC) if when is not None and when.tzinfo is not None else None
