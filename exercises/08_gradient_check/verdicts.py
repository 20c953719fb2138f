"""What a wrong verdict of `gradient_check` makes one ask, by the name of the claim that it is about."""

import re


def questions(text):
    """[(a name, a part of the claim's name, the question)] of a list: `name: part`, and below it the question."""
    blocks = re.split(r"\n(?=\w)", text.strip())
    heads = [block.partition("\n")[0].partition(":") for block in blocks]
    asked = [" ".join(block.partition("\n")[2].split()) for block in blocks]
    return [(name, part.strip(), asks) for (name, _, part), asks in zip(heads, asked, strict=True)]


POOR_STEP = questions(r"""
trusts_small_eps: eps=1e-
    With such a step, the difference of two values of f is only rounding. Is the caller's step used as it is? A poor
    one must not lead to a wrong verdict.
trusts_large_eps: eps=
    Over such a distance, the slope of a curve changes. Is the caller's step used as it is? A poor one must not lead
    to a wrong verdict.
""")
ACCEPTED = POOR_STEP + questions(r"""
nan_passes: NaN|infinity
    `inf / inf` is NaN, and a NaN is never larger than a threshold: `>` and `<` are False with it, and `max` may
    pass over it. Ask for NaN and infinity outright.
broadcast: \(1, |\(5, 1|as a row|extra axis|one number for all
    Broadcasting fits one shape to another, and a `reshape` forgets it. A gradient has the shape of its value:
    compare the shapes first.
transposed: transpose
    The numbers are right, at other places. Is each compared with its own slope?
fixed_difference: 1e-10
    Does a fixed number decide where gradients are small: an atol (`np.allclose` has one of 1e-8 by itself), a floor
    in the divisor, a `max(1, ...)`? Measure an error next to the size of its own slope.
zero_passes: ^something for|for a constant
    The slope is zero, and this claim is far more than rounding. How large is the rounding noise of your quotient,
    and how much of an error do you put down to it?
one_hidden: element of the wrong sign
    Is the sign lost, or does this element not count? Take the difference of two numbers first, and then its size.
    The worst element decides: a mean, a norm of them all, the first or the last one may hide it.
one_hidden: element (off|of the)|smallest|large and small
    Does the worst element decide, measured by its own size? A mean, a norm of them all, the first or the last one
    may hide a wrong one.
zeros_not_compared: filled in|turned to zero|^zeros|^0 times|forgotten
    Are elements passed over that are claimed to be zero, or that you measure as zero? Zero is a claim like any
    other.
kink_passed_over: beyond|than all|than nothing|not the largest|max\(0, x\) at 0
    At a kink the slopes to the left and to the right are fair answers, and all between them. This one is beyond
    both.
kink_far_away: far from a kink
    The kink is far away, and f has one slope here. How far do your steps reach, and does any of them decide?
curve_taken_for_kink: minimum|x\*\*2
    Near a minimum the slope is small. Is your error relative to it? And is the curve taken for a kink? There, too,
    the slopes to the left and to the right differ, but less with half the step.
sizes_only: ^minus|negative
    Is the sign lost? Take the difference of the two numbers first, and then its size.
integers: integers
    These are integers. Is x converted to float64 before it is moved?
too_lenient: ^\S+ times|^half|^twice|^a wrong|right signs|other sizes|random
    What is compared, and where do you draw the line? Signs or a direction are not enough, and right gradients agree
    to six digits and more.
""")
REFUSED = POOR_STEP + questions(r"""
kink_refused: of a kink|kink that|slopes at|largest|max\(0, x\) at 0
    At a kink the central difference is only the mean of two slopes. The slope to the left, the slope to the right
    and all numbers between them are fair answers.
kink_nearby: very near to a kink
    The kink is less than 1e-6 away, so a longer step crosses it on one side. Do you look at each side by itself?
no_noise_floor: ^zeros|rounding|zeros in it|1e-10
    A quotient has a rounding noise of about 1e-16 * |f| / h, and what is smaller cannot be called wrong. Is your
    error compared with it? And is zero against zero an error of 0?
integers: integers
    These are integers. Is x converted to float64 before it is moved?
too_strict:
    The quotient has an error of its own, up to about 1e-5 of the slope with a good step. Is there room for it, and
    is every element measured at x itself?
""")
UNDECIDED = POOR_STEP + questions(r"""
cannot_tell:
    `None` says that you cannot tell. Here the values of f tell enough: which steps do you try?
""")


def question_about(wrong, every=()):
    """(a name, the claim, what one asks) of wrong verdicts, {claim: verdict}: the first question that fits a claim.

    `every` has all verdicts of the row with the right ones, where they are known.
    """
    claim, *_ = wrong
    verdicts, truths = {ok for ok, _ in every}, {truth for _, truth in every}
    if truths == verdicts == {True, False} and all(ok is not truth for ok, truth in every):
        return "upside_down", claim, "Every verdict is the opposite. Which way round is the comparison?"
    if len(truths) == 2 and verdicts == {True}:
        return "always_true", claim, "Every claim is called right. Can your function return False?"
    for found, table in ((True, ACCEPTED), (False, REFUSED), (None, UNDECIDED)):
        for name, part, asks in table:
            for each, ok in wrong.items():
                if ok is found and re.search(part, each):
                    return name, each, asks
    return "wrong_verdict", claim, ""
