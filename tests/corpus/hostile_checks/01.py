"""Lesson 01: pairs and numbers."""
# lesson: 01

# === pairs_that_are_none: Returns texts, dicts, generators and complex numbers where pairs and numbers are
#     expected.
# rows of through_add, through_multiply, push_and_pull, mean_gate, accumulation_factor, nonzero_places: shape
# rows of closed_share: failed

import torch


def through_add(a, b, dy):
    return {"da", "db"}


def through_multiply(a, b, dy):
    return (n for n in range(2))


def push_and_pull(logits, labels):
    return b"ab"


def closed_share(h, threshold):
    return float("nan")


def mean_gate(h):
    return 1j


def accumulation_factor(tokens, token):
    return torch.ones(3, dtype=torch.complex64)


def nonzero_places(labels, classes):
    return torch.eye(3).to_sparse()
