"""Calls of calls of calls: what each may stand for was once asked in two ways per link."""
# group: time
# rows: passed
# unlocked: safe

from right import dlogits as dlogits

def unused(f):
    return f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f("a")(f)))))))))))))))))))))))))("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")("b")
