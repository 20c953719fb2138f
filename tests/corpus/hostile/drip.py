"""Every step takes most of its time, every time: none misses its deadline, and together they take half an hour."""
# group: time
# lesson: 02
# rows: timeout
# message: seconds of this submission
# unlocked: safe

import time

import right


def slowly(function):
    def step(*arguments, **keywords):
        time.sleep(0.8)
        return function(*arguments, **keywords)

    step.__wrapped__ = function
    return step


for name, function in list(vars(right).items()):
    if name.startswith("d"):
        globals()[name] = slowly(function)
