"""A comparison that prints and returns nothing.

lesson: 06
cmp: shape | = `cmp` returned None; expected a tuple of 3.
cmp_shapes: shape | = `cmp` returned None; expected a tuple of 3.
"""

def cmp(mine, reference):
    print(torch.equal(mine, reference))
