"""A breakpoint in a helper.

lesson: 01
by: dojo
dx: error | = The debugger (`breakpoint()`, `pdb`) waits for a command, and nobody can answer here. Use `print`:
    `dojo check` shows what is printed.
others: passed
"""

def look(x):
    breakpoint()
    return x


def dx(dz, W):
    return look(dz) @ W.T
