"""A form that is the student's own line is not asked back: the message says what is wrong with it.

lesson: 03
by: both
dhpreact: failed | = Your `dhpreact` is exactly `dh` minus `h`. A forward value is never added to a gradient: `dh` is
    multiplied by the derivative of `h` with respect to `hpreact`.
dnorm_logits: failed | The gradient contains `dcounts`, too, but combined in another way.
others: passed
"""


def dhpreact(dh, h):
    return dh - h


def dnorm_logits(dcounts, norm_logits):
    return dcounts - norm_logits
