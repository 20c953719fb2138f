"""What the static check knows by name: acts of differentiation, other means that are not for steps, and how both are said.

A deny-list, short and certain, on purpose. The sandbox stops these acts anyway (grader/sandbox); the list is there to say which
line it was and what to do instead. What is only suspicious is not on it, because honest code must never be refused.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

# Dotted paths after aliases are resolved, with `*` for any rest. Referring to one within a step is enough: they have no other use.
AUTODIFF = (
    *("torch.autograd.grad", "torch.autograd.backward", "torch.autograd.functional.*", "torch.autograd.gradcheck.*"),
    *(
        "torch.autograd.gradgradcheck",
        "torch.autograd.forward_ad.make_dual",
        "torch.autograd.Variable._execution_engine*",
    ),
    *("torch.func.grad", "torch.func.grad_and_value", "torch.func.vjp", "torch.func.jvp", "torch.func.jacrev"),
    *("torch.func.jacfwd", "torch.func.hessian", "torch.func.linearize", "functorch.grad", "functorch.grad_and_value"),
    *(
        "functorch.vjp",
        "functorch.jvp",
        "functorch.jacrev",
        "functorch.jacfwd",
        "functorch.hessian",
        "functorch.compile.*",
    ),
    *(
        "torch._functorch.*",
        "torch._C._functorch.*",
        "torch._C._jit_*",
        "torch._C._ImperativeEngine*",
        "torch._decomp.*",
    ),
    *(
        "torch.nn.grad.*",
        "torch.ops.aten.*backward*",
        "torch.ops.aten.grad",
        "torch._*_backward*",
        "torch.batch_norm_backward_*",
    ),
    *("torch.Tensor.backward", "sympy.*"),
)
OTHER_MEANS = (
    *(
        "os.system",
        "os.popen",
        "os.exec*",
        "os.spawn*",
        "os.posix_spawn*",
        "os.fork*",
        "os.kill*",
        "os._exit",
        "os.abort",
    ),
    *(
        "os.remove",
        "os.unlink",
        "os.rmdir",
        "os.rename",
        "os.replace",
        "shutil.rmtree",
        "subprocess.*",
        "ctypes.*",
        "socket.*",
    ),
    *("sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile", "gc.get_objects", "gc.get_referrers"),
    *("gc.get_referents", "inspect.stack", "inspect.currentframe", "inspect.trace", "inspect.getouterframes"),
    *("builtins.eval", "builtins.exec", "builtins.compile"),
)
# Attributes that lead from any object to the frames or the classes of the whole program.
OTHER_ATTRIBUTES = frozenset(
    {"f_back", "f_globals", "f_locals", "tb_frame", "gi_frame", "cr_frame", "__subclasses__", "__globals__"}
)


def is_autodiff(path: str) -> bool:
    """Whether the dotted path ``torch.autograd.grad`` and the like names an act of differentiation."""
    return any(fnmatchcase(path, pattern) for pattern in AUTODIFF)


def is_other_means(path: str) -> bool:
    """Whether the dotted path names something that no step needs: processes, frames, code made from text."""
    return any(fnmatchcase(path, pattern) for pattern in OTHER_MEANS)


def by_hand(line: int | None, what: str) -> str:
    """The sentence for a step that differentiates automatically; also for an `AutogradUsed` that a worker reports."""
    where = f"line {line} calls" if line else "this step calls"
    return (
        f"{where} `{what}`: this exercise asks for the gradient by hand, so the step is not counted. Write it from the upstream "
        'gradient and the forward values among the step\'s parameters. A self-check under `if __name__ == "__main__":` is fine.'
    )


def out_of_bounds(line: int | None, what: str) -> str:
    """The sentence for a step that uses a means which the sandbox does not give."""
    where = f"line {line} uses" if line else "this step uses"
    return (
        f"{where} `{what}`, which is not available where steps are graded (no processes, no writing of files, no frames, no code "
        "made from text), so the step is not counted. Write the gradient from the step's parameters with torch, numpy and plain "
        'Python. Whatever stands under `if __name__ == "__main__":` is yours.'
    )
