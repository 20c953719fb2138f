"""Who is who: an index of people by their ids and names. Names are compared without case, accents and order.

A person is an id, an e-mail address, a login or a platform's account: a mark. A name is a label that may change.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})
"""Letters that Unicode does not decompose into a plain letter and an accent."""
NUMBER_OF_A_NAMESAKE = re.compile(r"-(\d+)$")
"""The number that a platform or this program adds to a second file or student of one name."""
MIN_SIMILARITY_OF_NAMES = 0.84  # of two names' letters: a letter or two missing, doubled or exchanged
MAX_STUDENT_NAME_CHARACTERS = 120
WORDLESS = " .-"
JOINERS = "\u200c\u200d"  # emoji and Persian need them
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # controls, what reorders others or is invisible
RESERVED_STUDENT_NAMES = re.compile(
    r"index\.html|(?:grades|canvas|moodle|intake)\.csv|gradebook\.sqlite(?:-(?:journal|wal|shm|mj[0-9a-f]*))?"
    r"|.*\.(?:part|lock|tmp)"
    r"|feedback|.*-feedback\.zip|mailmerge\.csv"
    r"|similar\.html|defence"
)
"""Names in OUT that this program or SQLite uses. A student with such a name becomes NAME-2."""


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, folded: "Dupont, Amélie" gives ("amelie", "dupont"), as "Amélie Dupont" does."""
    last, comma, first = name.partition(",")
    if comma:
        name = f"{first} {last}"
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return tuple(re.findall(r"[^\W_]+", plain.translate(LETTERS)))


def rotations(name: Sequence[str]) -> set[str]:
    """The name without spaces, begun at each of its words: which words are the last name is unknown."""
    return {"".join([*name[start:], *name[:start]]) for start in range(len(name))}


class PeopleIndex:
    """People by their marks, and by their names in any order of the words; a mark or a name may be several people's."""

    def __init__(self) -> None:
        self._by_mark, self._by_name, self._by_rotation = (defaultdict[str, set[str]](set) for _ in range(3))

    def add(self, person: str, marks: Iterable[str], names: Iterable[str] = ()) -> None:
        for mark in filter(None, marks):
            self._by_mark[fold_case(mark)].add(person)
        for words in filter(None, map(name_words, names)):
            self._by_name["".join(words)].add(person)
            for name in rotations(words):
                self._by_rotation[name].add(person)

    def with_mark(self, *marks: str) -> set[str]:
        return {person for mark in marks for person in self._by_mark.get(fold_case(mark), ())}

    def with_name(self, name: str) -> set[str]:
        """Those with the name as it is written, else those with its words in another order."""
        key = "".join(name_words(name))
        return self._by_name.get(key) or self._by_rotation.get(key, set())

    def with_words(self, *names: str) -> set[str]:
        """Those with one of the names in any order of its words, also where a platform writes them as one word."""
        keys = {key for name in names for key in rotations(name_words(name))}
        return {person for key in keys for person in self._by_rotation.get(key, ())}


def only(people: set[str]) -> str | None:
    """The person, if it is one: what several people share names none of them."""
    return next(iter(people)) if len(people) == 1 else None


def may_be_one_person(one: str, other: str) -> bool:
    """Whether two names may be one person's: words are missing or abbreviated, or a few letters differ."""
    short, long = sorted((name_words(one), name_words(other)), key=len)
    if not short:
        return False
    if abbreviates(short, long):
        return True
    letters = difflib.SequenceMatcher(None, "".join(short), "".join(long))
    if letters.quick_ratio() < MIN_SIMILARITY_OF_NAMES:  # whatever their order: the same for all rotations
        return False
    ways = (difflib.SequenceMatcher(None, "".join(short), way) for way in rotations(long))
    return any(way.ratio() >= MIN_SIMILARITY_OF_NAMES for way in ways)


def abbreviates(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether each word of `short` begins a different word of `long`, and one of at least three letters equals it."""
    left = list(long)
    for word in sorted(short, key=len, reverse=True):
        found = next((other for other in left if other == word), None) or next(
            (other for other in left if other.startswith(word)), None
        )
        if found is None:
            return False
        left.remove(found)
    return any(len(word) >= 3 and word in long for word in short)


def as_folder(name: str) -> str:
    """The name as a folder name: no separator, control or invisible character; not too long.

    It neither begins nor ends with a space, a full stop or a hyphen: no hidden file, no option of a command.
    """
    name = re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", name[: 8 * MAX_STUDENT_NAME_CHARACTERS])
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    name = unicodedata.normalize("NFC", name)
    safe = "".join("-" if c in "/\\" or (c not in JOINERS and unicodedata.category(c) in UNSEEN) else c for c in name)
    while len(safe.encode()) > 2 * MAX_STUDENT_NAME_CHARACTERS or len(safe) > MAX_STUDENT_NAME_CHARACTERS:
        safe = safe[:-1]
    return safe.strip(WORDLESS) or "unnamed"


def fold_case(name: str) -> str:
    """Equal for names that differ only in capitals, or in the way to write an accent."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def collision_key(name: str) -> str:
    """Equal for names that a disk or a reader may confuse: capitals, widths, accents' encoding, joiners."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(c for c in plain if unicodedata.category(c) != "Cf").strip(WORDLESS)


def is_reserved(name: str) -> bool:
    """Whether OUT uses the name, for a file or its temporary copy."""
    return RESERVED_STUDENT_NAMES.fullmatch(collision_key(name)) is not None
