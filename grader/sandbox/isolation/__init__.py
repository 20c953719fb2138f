"""Operating-system isolation of a process that runs untrusted Python: namespaces, Landlock, seccomp, limits (Linux).

This package imports only the standard library, and nothing of grader outside itself, so another project can use it by
itself; tests/unit/sandbox/isolation/test_independence.py checks that. The names of installed packages whose files an
isolated process may read are in one place, landlock.LOADED_PACKAGES and landlock.IMPORTABLE_PACKAGES.

    probe.probe()               which layers this machine offers, each of them tried in a child
    probe.plan_for(found)       a plan of these layers, which can be sent to another process as JSON
    lockdown.prepare_zygote     in the process that will be forked: namespaces, rules compiled once
    lockdown.lock_in            in each fork, before untrusted code runs: no way back
    usage                       the kernel's account of what a process used; fewer page-table entries to copy per fork

The modules of the layers (namespaces, landlock, seccomp, capabilities, limits) call the kernel through kernel.py, with
ctypes: the libraries for it are not installed where students work, and each call is a line. Where a layer cannot be
applied, a function raises OSError, with the kernel's errno; where a plan contradicts itself, ValueError.
"""
