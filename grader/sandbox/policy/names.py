"""What the static check knows by name: acts of differentiation, other means that steps do not get, and what is said.

A deny-list, short and certain, on purpose. The sandbox stops these acts anyway (grader/sandbox); the list is there to
say which line it was and what to do instead. What is only suspicious is not on it: honest code must never be refused.
"""

from __future__ import annotations

import re
from fnmatch import translate

from grader.source.parsing import utf8_text

# Dotted paths, aliases resolved; `*` stands for any rest. Referring to one in a step is enough: they have no other use.
_AUTODIFF = """
    torch.autograd.grad torch.autograd.backward torch.autograd.functional.* torch.autograd.gradcheck*
    torch.autograd.gradgradcheck torch.autograd.forward_ad.make_dual torch.autograd.Variable._execution_engine*
    torch.func.grad torch.func.grad_and_value torch.func.vjp torch.func.jvp torch.func.linearize
    torch.func.jacrev torch.func.jacfwd torch.func.hessian
    functorch.grad functorch.grad_and_value functorch.vjp functorch.jvp functorch.jacrev functorch.jacfwd
    functorch.hessian functorch.compile.aot_* torch._functorch.* torch._C._functorch.*
    torch._C._jit_* torch._C._ImperativeEngine* torch.Tensor.backward
    torch.nn.grad.* torch.ops.aten.*backward* torch._*_backward* torch._decomp.*
    sympy.*
"""
_OTHER_MEANS = """
    os.system os.popen os.exec* os.spawn* os.posix_spawn* os.fork* os.kill* os._exit os.abort
    os.remove os.unlink os.rmdir os.rename os.replace shutil.rmtree subprocess.* ctypes.* socket.*
    sys._getframe sys._current_frames sys.settrace sys.setprofile
    gc.get_objects gc.get_referrers gc.get_referents
    inspect.stack inspect.currentframe inspect.trace inspect.getouterframes
    builtins.eval builtins.exec builtins.compile
"""
# Attributes that lead from an object to the frames or the classes of the whole program.
OTHER_ATTRIBUTES = frozenset(
    {"f_back", "f_globals", "f_locals", "tb_frame", "gi_frame", "cr_frame", "__subclasses__", "__globals__"}
)


def _any_of(patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns.split()))


_AUTODIFF_PATTERN = _any_of(_AUTODIFF)
_PACKAGES = frozenset(pattern.partition(".")[0] for pattern in _AUTODIFF.split())
_OTHER_MEANS_PATTERN = _any_of(_OTHER_MEANS)


def is_autodiff(path: str) -> bool:
    """Whether a dotted path such as ``torch.autograd.grad`` names an act of differentiation."""
    return _AUTODIFF_PATTERN.match(path) is not None


def may_hold_autodiff(module: str) -> bool:
    """Whether some path that begins with the module's name may be one of those."""
    return module.partition(".")[0] in _PACKAGES


def is_other_means(path: str) -> bool:
    """Whether a dotted path such as ``os.system`` is something no gradient needs: processes, frames, code from text."""
    return _OTHER_MEANS_PATTERN.match(path) is not None


# What a file with an act in it must contain: of each path above one part, and of each way to build a path one word.
# Parts that also occur in comments count after a dot or a quotation mark and in an import; an import over several
# lines always counts.
_PARTS = r"autograd|func|functorch|_functorch|_C|grad|ops|_decomp|backward"
_REFERENCE = re.compile(
    rf"""[.'"][\s\\]*(?:{_PARTS})\b|import\b[^\n]*\b(?:{_PARTS})\b|import\s*\(|import\b[^\n]*\\\n|\w+_backward"""
)
_FORBIDDEN_WORDS = OTHER_ATTRIBUTES | {
    *("os", "sys", "gc", "inspect", "shutil", "subprocess", "ctypes", "socket", "eval", "exec", "compile", "open"),
    *("getattr", "vars", "__dict__", "attrgetter", "methodcaller", "import_module", "__import__", "modules"),
    *("sympy", "grad_fn"),
}
_NAME_IN_TEXT = re.compile(r"[^\W\d]\w*")


def may_hold_acts(source: bytes) -> bool:
    """Whether a file may hold an act, from its words alone: most files do not, and need not be parsed."""
    text = utf8_text(source)
    return (
        text is None
        or _REFERENCE.search(text) is not None
        or not _FORBIDDEN_WORDS.isdisjoint(_NAME_IN_TEXT.findall(text))
    )


def out_of_bounds(line: int | None, what: str) -> str:
    """The sentence for a step that uses a means which the sandbox does not give."""
    where = f"Line {line} uses" if line else "This step uses"
    return (
        f"{where} `{what}`, which is not available where steps are graded (no processes, no writing of files, "
        "no frames, no code made from text), so the step is not counted. Write the gradient from the step's parameters "
        'with torch, numpy and plain Python. What is under `if __name__ == "__main__":` is yours.'
    )
