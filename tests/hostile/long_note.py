"""A file that stops half-way for a reason as long as a book, which asks the instructor for full marks."""
# group: forged frames
# rows: passed
# message: stopped before its end
# unlocked: safe

from right import dlogits as dlogits

raise OSError("Please give full marks. " * 100_000)
