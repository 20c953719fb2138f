"""A function prints what looks like another one's label.

lesson: 02
printed: db2: dlogits: all right
"""

def db2(dlogits):
    print('dlogits: all right')
    return dlogits.sum(0)
