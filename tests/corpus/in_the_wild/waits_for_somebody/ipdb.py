"""Another debugger, which is not installed.

lesson: 02
by: dojo
dbeta: error | = The debugger (`breakpoint()`, `pdb`) waits for a command, and nobody can answer here. Use `print`:
    `dojo check` shows what is printed.
"""

def dbeta(dh_bn):
    import ipdb

    ipdb.set_trace()
    return dh_bn.sum(0)
