"""Names that are calls of names before them, three times each."""
# group: time
# rows: passed
# unlocked: safe

from right import dlogits as dlogits

def x0(*_):
    return x0


x1 = x0("a")(x0("b"))(x0)
x2 = x1("a")(x1("b"))(x1)
x3 = x2("a")(x2("b"))(x2)
x4 = x3("a")(x3("b"))(x3)
x5 = x4("a")(x4("b"))(x4)
x6 = x5("a")(x5("b"))(x5)
x7 = x6("a")(x6("b"))(x6)
x8 = x7("a")(x7("b"))(x7)
x9 = x8("a")(x8("b"))(x8)
x10 = x9("a")(x9("b"))(x9)
x11 = x10("a")(x10("b"))(x10)
x12 = x11("a")(x11("b"))(x11)
x13 = x12("a")(x12("b"))(x12)
x14 = x13("a")(x13("b"))(x13)
x15 = x14("a")(x14("b"))(x14)
x16 = x15("a")(x15("b"))(x15)
x17 = x16("a")(x16("b"))(x16)
x18 = x17("a")(x17("b"))(x17)
x19 = x18("a")(x18("b"))(x18)
x20 = x19("a")(x19("b"))(x19)
x21 = x20("a")(x20("b"))(x20)
x22 = x21("a")(x21("b"))(x21)
x23 = x22("a")(x22("b"))(x22)
x24 = x23("a")(x23("b"))(x23)
x25 = x24("a")(x24("b"))(x24)
x26 = x25("a")(x25("b"))(x25)
x27 = x26("a")(x26("b"))(x26)
x28 = x27("a")(x27("b"))(x27)
x29 = x28("a")(x28("b"))(x28)
x30 = x29("a")(x29("b"))(x29)
x31 = x30("a")(x30("b"))(x30)
x32 = x31("a")(x31("b"))(x31)
x33 = x32("a")(x32("b"))(x32)
x34 = x33("a")(x33("b"))(x33)
x35 = x34("a")(x34("b"))(x34)
x36 = x35("a")(x35("b"))(x35)
x37 = x36("a")(x36("b"))(x36)
x38 = x37("a")(x37("b"))(x37)
x39 = x38("a")(x38("b"))(x38)
x40 = x39("a")(x39("b"))(x39)
