"""Eight gigabytes of bytes, at once and doubled step by step."""
# group: memory
# rows: error, crashed, timeout


def dlogits(logits):
    try:
        bytearray(8 << 30)
        print("GOT THROUGH at once")
    except MemoryError:
        pass
    more = b"x" * (64 << 20)
    while len(more) < 8 << 30:
        more += more
    print("GOT THROUGH doubled")
