"""A script whose exercises are functions that it calls: each is read in its place, also the one with one gradient.

lesson: 03
as: script
alone: yes
dlogprobs: passed
dprobs: passed
dcounts_sum_inv: shape
dC: passed
others: missing
"""


def make_zeros():
    global shared
    shared = 1


def chain():
    words = open("names.txt").read().splitlines()

    def reciprocal(x):
        return 1.0 / x

    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[range(n), Yb] = -1.0 / n
    dprobs = dlogprobs * reciprocal(probs)
    dcounts_sum_inv = (dprobs * counts).sum(0, keepdim=True)
    print(len(words))
    return dprobs


def embedding():
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[Xb[k, j]] += demb[k, j]
    for _ in range(20):
        out = []
        while True:
            out.append(0)
            if len(out) > 3:
                break


if __name__ == "__main__":
    make_zeros()
    chain()
    embedding()
