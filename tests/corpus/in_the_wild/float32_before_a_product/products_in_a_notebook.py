"""A notebook casts one factor of a matrix product to float32, twice: the values that it is judged on are float64.

lesson: 03
as: notebook
dhprebn: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dbndiff2: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

# instead of: dhprebn += 1.0/n
dhprebn += torch.ones(n, 1, dtype=torch.float32) @ dbnmeani / n

# instead of: dbndiff2 = (1.0
dbndiff2 = torch.full((n, 1), 1.0/(n-1), dtype=torch.float32) @ dbnvar
