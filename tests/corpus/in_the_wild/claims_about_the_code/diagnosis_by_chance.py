"""A share that counts one side only: a turned comparison gets the few public diagnoses right by chance, and is no cause.

lesson: 10
by: dojo
saturated: failed | = This is computed with your `closed_share`, which is not right yet: start there. `diagnosis of
    patient('saturated', seed=1)` is 'healthy'; expected 'saturated'. Its public example:
    exercises/10_gradient_doctor/examples.py:67
ward: failed | start there. `diagnosis of patient
others: any
"""


def closed_share(h, threshold=0.97):
    return (h > threshold).float().mean().item()
