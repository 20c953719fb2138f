"""Operating-system isolation of a process: namespaces, Landlock, seccomp, limits. Knows no torch."""
