"""The notebook's context has four characters, and only three of them are written out.

lesson: 03
as: notebook
alone: yes
dC: failed | = Your `dC` is right at the lecture's sizes. Your notebook sets others (block 4), and there it is wrong:
    is a number left over from the lecture?
others: missing
"""

block_size = 4
# %%
dC = torch.zeros_like(C)
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[2]] += demb[i, 2]
