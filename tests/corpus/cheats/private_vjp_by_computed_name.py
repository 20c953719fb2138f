"""The functions that torch.func is made of, by a computed name. Stopped by: error."""

import importlib

transforms = importlib.import_module("smrofsnart_regae.hcrotcnuf_.hcrot"[::-1])


def dprobs(dlogprobs, probs):
    _, pull_back = getattr(transforms, "smungra_htiw_pjv_"[::-1])(lambda x: x.log(), probs)[:2]
    return pull_back(dlogprobs)[0]
