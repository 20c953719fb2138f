"""A mean that the code shows says more than a factor, whose name may be a coincidence (one channel less).

lesson: 17
by: dojo
db: failed | = `dy.sum(0).mean(1)` takes a mean. With a sum in that place, your `db` is right.
"""


def db(dy):
    return dy.sum(0).mean(1)
