"""The lecture's notebook with a difference quotient in the line of the logarithm.

lesson: 03
as: notebook
dprobs: forbidden | uses a difference quotient (numerical differentiation), so this gradient is not counted.
"""

# instead of: dprobs =
tiny = 1e-3 * probs
dprobs = dlogprobs * (torch.log(probs + tiny) - torch.log(probs - tiny)) / (2 * tiny)
