"""`heads // groups` is one too many; that `groups // groups` would be right says nothing.

lesson: 13
dk: failed | = In `merge_heads(dkh) / (heads // groups)`, `heads // groups` is one too many. Without it, your
    `dk` is right. What is the local derivative of the forward line?
others: passed
"""


def dk(dkh, heads, groups):
    return merge_heads(dkh) / (heads // groups)
