"""Exercise 1 and nothing else: lesson 03 is all that counts.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb] | # Exercise 1
counts: 03
"""
