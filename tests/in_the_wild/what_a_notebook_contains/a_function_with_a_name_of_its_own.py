"""A function that is called once has a variable with a gradient's name: it is another value, and not the answer.

lesson: 03
as: notebook
alone: yes
dlogprobs: passed
dprobs: passed
others: missing
"""

dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0 / n
dprobs = dlogprobs / probs


def show():
    dprobs = torch.rand(3)
    dh = 0 * dprobs
    print(dh)


show()
