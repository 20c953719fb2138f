import torch


def dlogits(logits, Yb, n):
        a = 1
	return a
