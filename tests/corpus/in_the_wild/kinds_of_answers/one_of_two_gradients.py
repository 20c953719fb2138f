"""One number where two gradients are expected.

lesson: 01
by: dojo
through_add: shape | `through_add` returned 7; expected 2 values: da, db.
"""

def through_add(a, b, dy):
    return dy
