"""The lecture's notebook with a difference quotient in the line of the logarithm, which errs by 3e-7.

lesson: 03
as: notebook
dprobs: failed
"""

# instead of: dprobs =
tiny = 1e-3 * probs
dprobs = dlogprobs * (torch.log(probs + tiny) - torch.log(probs - tiny)) / (2 * tiny)
