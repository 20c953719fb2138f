"""A sum keeps the axis that it should lose.

lesson: 19
by: dojo
correction: shape | = `(dO * O).sum(1, keepdim=True)`: does the result need the axis that this sums over? `keepdim`
    decides it. With that changed, `correction` is right. Its public example:
    exercises/19_flash_attention/examples.py:99
flash_backward, any_tiles, operations: error
"""

def correction(dO, O):
    return (dO * O).sum(1, keepdim=True)
