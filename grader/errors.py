"""What a command says when it cannot do what was asked."""

from __future__ import annotations


class Unusable(Exception):
    """What was asked for cannot be done, or makes no sense here; the text says why, and what to do."""


class WentAway(Unusable):
    """What was used is gone in the middle; the text says what is kept, and how to go on."""


class LessonError(Exception):
    """A course or a lesson folder that cannot be used; the text says what to do."""
