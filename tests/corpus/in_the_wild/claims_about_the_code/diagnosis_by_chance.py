"""A share that counts one side only: a turned comparison gets the few public diagnoses right by chance, and is no cause.

lesson: 10
by: dojo
saturated: failed | = This is computed with your `closed_share`, which is not right yet: start there.
ward: failed | start there.
others: any
"""


def closed_share(h, threshold=0.97):
    return (h > threshold).float().mean().item()
