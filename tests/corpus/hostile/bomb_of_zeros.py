"""A few kilobytes that unpack to ten gigabytes."""
# group: memory
# rows: error, crashed, timeout

import zlib


def packed(megabytes):
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(megabytes)) + packer.flush()


def dlogits(logits):
    once = packed(64)
    unpacked = [zlib.decompress(once) for _ in range(160)]
    print("GOT THROUGH", len(unpacked))
