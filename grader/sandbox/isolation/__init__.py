"""Operating-system isolation of a process that runs untrusted Python: namespaces, Landlock, seccomp, limits (Linux).

This package imports only the standard library and itself, so another project can use it; test_independence.py checks
that. The installed packages that an isolated process may read are named in landlock.py.

probe.py finds out what a machine offers, and lockdown.py begins with how a process is locked in. What each layer stops,
and what it does not, is in docs/security.md.

kernel.py calls the kernel through ctypes: the libraries for it are not installed where students work. A layer that
cannot be applied raises OSError with the kernel's errno.
"""
