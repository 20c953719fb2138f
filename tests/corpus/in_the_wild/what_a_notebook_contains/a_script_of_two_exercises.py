"""A script with exercises 1 and 2, without the cells of the others.

lesson: 04
as: script
keeps: import torch | n_embd | batch_size | emb = C[Xb] | # Exercise 1 | # Exercise 2
counts: 03 04
"""
