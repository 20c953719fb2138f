"""The shift is multiplied in the forward pass, under another name for the pre-activation.

lesson: 03
as: notebook
alone: yes
dbngain: failed | = In `bnraw * shift`, the factor `shift` is one too many. Without it, your `dbngain` is right. What
    is the local derivative of the forward line? Your forward pass has another line (mine.ipynb, cell 1, line 2): `pre
    = bngain * bnraw * shift`; the lesson has `hpreact = bngain * bnraw + bnbias`. The gradient is judged for the
    lesson's line.
dbnbias: failed | Your forward pass has another line
dbnraw: failed | Your forward pass has another line
others: missing
"""

pre = bngain * bnraw * shift
h = pre.tanh()
dbngain = (bnraw * shift * dhpreact).sum(0, keepdim=True)
dbnbias = (bnraw * bngain * dhpreact).sum(0, keepdim=True)
dbnraw = bngain * shift * dhpreact
cmp("hpreact", dhpreact, pre)
cmp("bnbias", dbnbias, shift)
