"""Small objects until there is no memory left, none of which is large enough to be refused."""
# group: memory
# rows: error, crashed, timeout


def dlogits(logits):
    kept = []
    while len(kept) < 8_000_000:
        kept.append(bytes(1000))
    print("GOT THROUGH eight gigabytes")
