"""Jumps into its own data."""
# group: endings
# rows: crashed
# message: SIG
# unlocked: safe

from attempt import module


def dlogits(logits):
    ctypes = module("ctypes")
    nowhere = ctypes.create_string_buffer(b"\xff" * 64)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(nowhere))()
