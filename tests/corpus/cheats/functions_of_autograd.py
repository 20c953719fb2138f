"""autograd's own functions, called in the open, under other names, in helpers and in threads."""
# stopped by: tripwire

import torch

# === at_import: A Jacobian taken while the file is imported.

slope = torch.autograd.functional.jacobian(lambda x: -x, torch.zeros(1, dtype=torch.float64))  # here


def dnorm_logits_to_dlogit_maxes(dnorm_logits):
    return dnorm_logits.sum(1, keepdim=True)


def dlogit_maxes(dnorm_logits):
    return slope.item() * dnorm_logits_to_dlogit_maxes(dnorm_logits)

# === autograd_grad: torch.autograd.grad.

def dprobs(dlogprobs, probs):
    probs.requires_grad = True
    return torch.autograd.grad(probs.log(), probs, dlogprobs)[0]  # here

# === dual_numbers: torch.autograd.forward_ad.

import torch.autograd.forward_ad as forward_ad


def dprobs(dlogprobs, probs):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(probs, dlogprobs)  # here
        return forward_ad.unpack_dual(torch.log(dual)).tangent.clone()

# === executed_text: Text turned into code.

def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    exec("probs.log().backward(dlogprobs)")  # here
    return probs.grad

# === func_grad: torch.func.grad, which gives zeros in silence.

def dprobs(dlogprobs, probs):
    return torch.func.grad(lambda x: (x.log() * dlogprobs).sum())(probs)  # here


def dhpreact(dh, hpreact):
    gradient, _ = torch.func.grad_and_value(lambda x: (x.tanh() * dh).sum())(hpreact)  # here
    return gradient

# === func_jacobians: jacrev, jacfwd and hessian.

def dprobs(dlogprobs, probs):
    jacobian = torch.func.jacrev(torch.log)(probs)  # here
    return torch.einsum("ij,ijkl->kl", dlogprobs, jacobian)


def dhpreact(dh, hpreact):
    jacobian = torch.func.jacfwd(torch.tanh)(hpreact)  # here
    return torch.einsum("ij,ijkl->kl", dh, jacobian)


def dh(dlogits, W2):
    half = torch.zeros(dlogits.shape[0], W2.shape[0], dtype=W2.dtype)
    second = torch.func.hessian(lambda x: 0.5 * (x**2).sum())(half)  # here
    return torch.einsum("ij,ijkl->kl", dlogits @ W2.T, second)

# === func_jvp: Forward mode: torch.func.jvp of an elementwise function, and linearize.

def dprobs(dlogprobs, probs):
    return torch.func.jvp(torch.log, (probs,), (dlogprobs,))[1]  # here


def dhpreact(dh, hpreact):
    _, push = torch.func.linearize(torch.tanh, hpreact)  # here
    return push(dh)

# === functional_module: torch.autograd.functional.

import torch.autograd.functional as F


def dprobs(dlogprobs, probs):
    return F.vjp(lambda x: x.log(), probs, dlogprobs)[1]  # here


def dhpreact(dh, hpreact):
    return F.jvp(lambda x: x.tanh(), hpreact, dh)[1]  # here

# === gradcheck_jacobian: The Jacobian that torch.autograd.gradcheck compares with.

from torch.autograd.gradcheck import _get_analytical_jacobian


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    jacobian = _get_analytical_jacobian((probs,), (probs.log(),), 0, 0)  # here
    return (jacobian @ dlogprobs.reshape(-1)).reshape(probs.shape).detach()

# === in_helper: In a helper of a helper, a class, a decorator.

class Engine:
    def run(self, function, x, upstream):
        return torch.autograd.grad(function(x), x, upstream)[0]  # here


def differentiate(function, *, engine=Engine()):
    def step(dlogprobs, probs):
        return engine.run(function, probs.requires_grad_(True), dlogprobs)

    return step


dprobs = differentiate(torch.log)

# === in_thread: On another thread, which has its own dispatch modes.
# stopped by: tripwire, error

import threading


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)

    def work():
        probs.log().backward(dlogprobs)  # here

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return probs.grad.clone()

# === script_executor: TorchScript's older executor, which has derivative formulas of its own.

def logarithm(x: torch.Tensor) -> torch.Tensor:
    return torch.log(x * 1.0)


def dprobs(dlogprobs, probs):
    torch._C._jit_set_profiling_executor(False)  # here
    try:
        script = torch.jit.script(logarithm)
        for _ in range(3):
            out = script(probs.detach().requires_grad_(True))
        pieces = out.grad_fn(dlogprobs)
    finally:
        torch._C._jit_set_profiling_executor(True)
    return next(piece for piece in ([pieces] if isinstance(pieces, torch.Tensor) else pieces) if piece is not None)

# === script_grad: torch.autograd.grad within TorchScript, where Python's functions are not asked.

from typing import List, Optional


@torch.jit.script
def pull(x: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_(True)
    upstreams = torch.jit.annotate(List[Optional[torch.Tensor]], [upstream])
    gradient = torch.autograd.grad([x.log()], [x], upstreams)[0]  # here
    assert gradient is not None
    return gradient


def dprobs(dlogprobs, probs):
    return pull(probs, dlogprobs)

# === swallowed: A bare except around it, the gradient fetched afterwards.
# stopped by: tripwire, error

def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    try:
        probs.log().backward(dlogprobs)  # here
    except:
        print("nothing happened")
    return probs.grad.clone()

# === tensor_backward: loss.backward() on a leaf.

def dprobs(dlogprobs, probs):
    probs = probs.clone().requires_grad_()
    probs.log().backward(dlogprobs)  # here
    return probs.grad

# === vmapped_vjp: vmap over vjp.

def dprobs(dlogprobs, probs):
    def row(p, g):
        return torch.func.vjp(torch.log, p)[1](g)[0]  # here

    return torch.vmap(row)(probs, dlogprobs)
