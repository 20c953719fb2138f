import torch


def dlogits(logits, Yb, n)
    return logits
