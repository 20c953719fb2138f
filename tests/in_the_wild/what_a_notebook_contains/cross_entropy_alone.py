"""Exercise 2 alone, after the forward pass.

lesson: 04
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb] | # Exercise 2
counts: 04
"""
