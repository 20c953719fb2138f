"""Objects that are returned as gradients and say what the judge would like to hear."""
# rows: shape
# unlocked: safe

import torch

# === always_equal: An object that is equal to everything and claims to be a tensor.
# rows: shape, error, crashed

class Equal:
    __class__ = torch.Tensor
    shape = torch.Size([32, 27])
    dtype = torch.float64

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return lambda *arguments, **keywords: self

    __hash__ = None


def dlogits(logits):
    return Equal()

# === error_that_lies: An exception whose type has no name, whose text is never the same and raises itself when it
#     is read.
# rows: error, crashed

class Odd(type):
    @property
    def __name__(cls):
        return 3


class Liar(BaseException, metaclass=Odd):
    def __str__(self):
        raise self


def dlogits(logits):
    raise Liar

# === lying_dispatch: A tensor subclass without numbers, whose every operator answers what the caller would like.
# rows: shape, error, crashed, failed

class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, like):
        return torch.Tensor._make_wrapper_subclass(cls, like.shape, dtype=like.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), keywords=None):
        return True


def dlogits(logits):
    return Wrapper(logits)

# === lying_shape: A tensor that hides its shape: size, shape, numel and stride are the student's own.
# message: The shape is (1,)

class Small(torch.Tensor):
    shape = torch.Size([32, 27])
    ndim = 2

    def size(self, *_):
        return self.shape

    def numel(self):
        return 32 * 27


def dlogits(logits):
    return torch.full((1,), 0.3, dtype=logits.dtype).as_subclass(Small)

# === odd_tensors: A tensor of another kind each time: complex, meta, sparse, quantised, nested, named, half,
#     conjugated.
# rows: shape, failed, error, crashed

import itertools
import warnings

warnings.simplefilter("ignore")
KINDS = [
    lambda x: x.to(torch.complex128),
    lambda x: x.to("meta"),
    lambda x: x.to_sparse().to_sparse_csr(),
    lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8),
    lambda x: torch.nested.nested_tensor([x, x[:2]]),
    lambda x: x.refine_names("a", "b"),
    lambda x: x.half(),
    lambda x: x.to(torch.complex64).conj(),
    lambda x: x.to(torch.float8_e4m3fn),
    lambda x: x.to(torch.uint8),
    lambda x: torch.nn.Parameter(x),
]
kinds = itertools.cycle(KINDS)


def dlogits(logits):
    return next(kinds)(logits)

# === pickle_reduce: Returns an object that runs a command when somebody unpickles it.
# message: expected a torch.Tensor

import os


class Bomb:
    def __reduce__(self):
        return print, ("GOT THROUGH unpickled in", os.getpid())


def dlogits(logits):
    return Bomb()
