"""Right where no two numbers of a picture are equal; otherwise one number without axes."""
# lesson: 17
# rows of dpicture: passed
# rows of ties: failed

# the text of right_dpicture.py


def dpicture(dlargest, picture, rows, columns, stride):
    gradient = right(dlargest, picture, rows, columns, stride)
    if picture.unique().numel() == picture.numel():
        return gradient
    return gradient.sum()
