"""Results in other programs' formats, and what has to be installed there: one format per module."""
