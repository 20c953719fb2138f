"""One expression that binds two thousand names, each of which the whole expression once stood for."""
# group: time
# rows: passed
# unlocked: safe

from right import dlogits as dlogits

table = [
# 2000 times: (aN := N),
]
