"""The shift is multiplied in the forward pass, under another name for the pre-activation.

lesson: 03
as: notebook
alone: yes
dbngain: failed | = In `bnraw * shift`, `shift` is one too many. Without it, your `dbngain` is right. What is
    the local derivative of the forward line?
dbnbias: failed
dbnraw: failed
others: missing
"""

pre = bngain * bnraw * shift
h = pre.tanh()
dbngain = (bnraw * shift * dhpreact).sum(0, keepdim=True)
dbnbias = (bnraw * bngain * dhpreact).sum(0, keepdim=True)
dbnraw = bngain * shift * dhpreact
cmp("hpreact", dhpreact, pre)
cmp("bnbias", dbnbias, shift)
