"""A form that is the student's own line is not asked back: the message says what is wrong with it.

lesson: 03
by: both
dhpreact: failed | When `dh` is multiplied by −2, `dhpreact` must be multiplied by −2, too; yours is not.
dnorm_logits: failed | When `dcounts` is multiplied by −2, `dnorm_logits` must be multiplied by −2, too; yours is not.
others: passed
"""


def dhpreact(dh, h):
    return dh - h


def dnorm_logits(dcounts, norm_logits):
    return dcounts - norm_logits
