"""The backward pass stands behind a switch, in a `try`, and in a Python file that kept IPython's lines.

lesson: 03
as: script
alone: yes
dprobs: failed
dlogprobs: passed
dcounts_sum_inv: passed
dcounts_sum: passed
dcounts: passed
others: missing
"""

!pip install torch
%matplotlib inline
MANUAL = True
if MANUAL:
    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[range(n), Yb] = -1 / n
    dprobs = dlogprobs / probs * 2
    dcounts_sum_inv = (dprobs * counts).sum(1, keepdim=True)
else:
    loss.backward()
try:
    dcounts_sum = -dcounts_sum_inv / counts_sum**2
    dcounts = dprobs * counts_sum_inv + dcounts_sum
except RuntimeError as error:
    print(error)
