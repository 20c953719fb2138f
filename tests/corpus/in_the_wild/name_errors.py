# === available_and_not_meant: The name exists, and it belongs to another line: to add it to the parameters would not
#     help.
# lesson: 03
# dbngain: error | `emb` is not a value of the forward lines of this gradient.
# dhpreact: error | `hpreact` is available: add it to the parameters of the function that reads it.

def dbngain(dhpreact):
    return (emb * dhpreact).sum(0, keepdim=True)


def dhpreact(dh, h):
    return (1 - hpreact**2) * dh

# === capitals_of_another_value: Lesson 17 has `dy` and `dY`: the one that belongs to this gradient is meant, not the
#     other one.
# lesson: 17
# by: both
# dB: error | NameError: name 'dy' is not defined. `dy` and `dY` are two names here. Do you mean `dY`?
# db: error | NameError: name 'dY' is not defined. `dY` and `dy` are two names here. Do you mean `dy`?
# dw: error | NameError: name 'W' is not defined. `W` and `w` are two names here. Do you mean `w`?

def dB(dY):
    return dy.sum((0, 2, 3))


def db(dy):
    return dY.sum((0, 2))


def dw(dy, x, w, stride, padding):
    return x.unfold(2, W.shape[2], stride)

# === functions_and_modules: A gradient that is no parameter is the function of that name; a module that the file does
#     not import.
# lesson: 03
# by: both
# dprobs: error | That line uses a function where it needs a tensor. Inside the function of a gradient, add the
# dlogprobs: error | `math` is not imported: write `import math` at the top of the file.

def dprobs(probs):
    return dlogprobs / probs


def dlogprobs(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / math.fabs(n)
    return gradient

# === read_before_it_is_set: The line reads the name that it sets; in the notebook an earlier run had left a value
#     there.
# lesson: 03
# as: script
# alone: yes
# dbndiff2: error | The line that sets `dbndiff2` also reads it, and nothing has set it before.
# others: any


dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
dbndiff2 = torch.ones_like(dbndiff2) / (n - 1) * dbnvar
cmp('bndiff2', dbndiff2, bndiff2)
