"""Functions that make functions."""

import torch


def make_reduce(axis):
    def reduce(gradient):
        return gradient.sum(axis, keepdim=True)

    return reduce


over_columns, over_rows = make_reduce(1), make_reduce(0)


def dcounts_sum_inv(dprobs, counts):
    return over_columns(counts * dprobs)


def dbngain(dhpreact, bnraw):
    return over_rows(bnraw * dhpreact)


def dcounts(dprobs, dcounts_sum, counts_sum_inv, counts):
    branches = []

    def add(branch):
        nonlocal branches
        branches = [*branches, branch]

    add(counts_sum_inv * dprobs)
    add(torch.ones_like(counts) * dcounts_sum)
    return sum(branches)
