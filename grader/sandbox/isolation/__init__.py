"""Operating-system isolation of a process that runs untrusted Python: namespaces, Landlock, seccomp, limits (Linux).

This package imports only the standard library and itself, so another project can use it; test_independence.py checks
that. The installed packages that an isolated process may read are named in landlock.py.

    probe.probe()               which layers this machine offers, each of them tried in a child
    probe.plan_for(found)       a plan of these layers, which can be sent to another process
    lockdown.prepare_zygote     in the process that will be forked: namespaces, rules compiled once
    lockdown.lock_in            in each fork, before untrusted code runs: no way back

kernel.py calls the kernel through ctypes: the libraries for it are not installed where students work. A layer that
cannot be applied raises OSError with the kernel's errno; a plan that contradicts itself, ValueError.
"""
