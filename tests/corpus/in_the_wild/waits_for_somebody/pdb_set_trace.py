"""The debugger of the standard library.

lesson: 03
dprobs: error | = The debugger (`breakpoint()`, `pdb`) waits for a command, and nobody can answer here. Use `print`:
    `dojo check` shows what is printed.
others: passed
"""

def dprobs(dlogprobs, probs):
    import pdb

    pdb.set_trace()
    return dlogprobs / probs
