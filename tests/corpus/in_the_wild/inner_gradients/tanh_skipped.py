"""The slope of the tanh is left out: every gradient below is wrong, and the first wrong one has no row.

lesson: 06
by: dojo
dW2, db2, cmp, cmp_shapes, compare_all: passed
db: failed | The true `db` is zero here, so zeros are right without any work.
others: failed | Up to `dlogits` and `dh` your `backward` is right. `dout` is wrong, and
"""

# instead of: dout = (1 - h**2)
dout = dh
