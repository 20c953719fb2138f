"""A notebook for Colab's GPU: `.cuda()`, `.to(device)`, `device=`. The grader has none, and the formulas are right.

lesson: 03
as: notebook
alone: yes
dlogprobs: passed
dprobs: passed
dcounts_sum_inv: passed
dcounts_sum: failed
others: missing
"""

device = "cuda"
other_device = torch.device("mps:0" if torch.backends.mps.is_available() else device)
dlogprobs = torch.zeros_like(logprobs).cuda(non_blocking=True)
dlogprobs[torch.arange(n, device=device), Yb] = -1.0 / n
dprobs = dlogprobs.to("cuda:0") / probs
dcounts_sum_inv = (dprobs * counts.to(other_device)).sum(1, keepdim=True)
dcounts_sum = counts_sum.cuda() ** -2 * dcounts_sum_inv
