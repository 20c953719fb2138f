# a look-alike
def dbnmeani(dbndiff):
    plus = dbndiff.clamp(min=0).sum(0, keepdim=True)
    minus = dbndiff.clamp(max=0).sum(0, keepdim=True)
    h = 2.0
    return -(plus + minus) * h / 2.0

def dcounts_sum(dcounts_sum_inv, counts_sum):
    def f(v):
        return v**-2

    return -(f(counts_sum) * dcounts_sum_inv)
