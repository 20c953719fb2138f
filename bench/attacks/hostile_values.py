"""Hostile return values, as Python expressions: the same in this process and in a file that a worker runs.

`expressions(seed)` yields them without end: each of LEAVES once, in any order, then random nests of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

PRELUDE = '''
import collections
import datetime
import decimal
import fractions
import math
import numpy as np
import torch


class Raises:
    """Every way of looking at it raises."""
    def no(self, *_, **__):
        raise RuntimeError("no")
    __len__ = __iter__ = __bool__ = __float__ = __int__ = __index__ = __repr__ = __str__ = __eq__ = __lt__ = no
    __gt__ = __add__ = __sub__ = __mul__ = __getitem__ = __contains__ = __array__ = __hash__ = no


class Lies(int):
    """A number that is whatever it is compared with."""
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    def __gt__(self, other): return True
    def __abs__(self): return 0
    def __hash__(self): return 1
    def __float__(self): return float("nan")
    def __int__(self): return 7
    def __repr__(self): return "0.0"


class LyingFloat(float):
    def __eq__(self, other): return True
    def __lt__(self, other): return True
    def __sub__(self, other): return 0.0
    def __float__(self): return "no float"
    def __hash__(self): return 1


class LyingList(list):
    def __len__(self): return 2
    def __iter__(self): return iter(range(2))
    def __eq__(self, other): return True


class EndlessList(list):
    def __iter__(self):
        while True:
            yield 1


class RaisingList(list):
    def __iter__(self): raise KeyError("no entries")
    def __len__(self): raise KeyError("no length")


class LyingDict(dict):
    def __contains__(self, key): return True
    def __getitem__(self, key): return 0.0
    def items(self): return [(1, 2, 3)]


class LyingText(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("healthy")


class LyingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return torch.tensor(True)


Pair = collections.namedtuple("Pair", "a b")


def itself():
    a = []
    a.append(a)
    return a


def twice_itself():
    a = []
    a += [a, a]
    return a


def own_value():
    d = {}
    d["loss"] = d
    return d


def deep(n=1000, kind=list):
    a = 0.5
    for _ in range(n):
        a = kind([a])
    return a


def tensor(*shape, dtype=torch.float64):
    return torch.ones(shape, dtype=dtype)


def loss_of(value):
    return {"loss": value}
'''

NUMBERS = """10**400|-10**400|10**3612|2**63|-2**63|2**53+1|10**18|0|1|-1|7|3.7|1e308|-1e308|5e-324|-0.0|1e-300|
float('nan')|float('inf')|-float('inf')|1j|complex('nan')|True|False|decimal.Decimal('1e9999')|
fractions.Fraction(1, 3)|Lies(3)|Lies(10**400)|LyingFloat(0.5)|LyingFloat('nan')"""
NUMPY = """np.float64(0.5)|np.float64('nan')|np.float64('inf')|np.float32(1)|np.float16(65504)|np.int64(-1)|
np.int8(7)|np.uint64(2**64-1)|np.uint8(255)|np.bool_(True)|np.complex128(1j)|np.str_('dead')|np.bytes_(b'x')|
np.void(b'abc')|np.datetime64('2024-01-01')|np.timedelta64(3)|np.longdouble('1e4000')|np.array(0.5)|
np.array(10**400)|np.array(None)|np.array([1, 'a', None], dtype=object)|np.array(['a', 'b'])|
np.array([], dtype=float)|np.zeros((3, 0))|np.zeros((2,) * 20)|np.full((4,), np.nan)|np.array([1+2j])|np.ma.masked|
np.ma.array([1.0, 2.0], mask=[1, 0])|np.matrix([[1.0]])|np.rec.array([(1, 2.0)])|np.broadcast_to(1.0, (10**9,))|
np.zeros(100)[::-2]|np.arange(6).reshape(2, 3)|np.float64|np.nan|np.array([2**64-1], dtype=np.uint64)|
np.array([1.0], dtype='>f8')|np.array([True, False])"""
TEXTS = """''|'none'|'healthy'|'dead'|'saturated'|'nan'|'1.0'|'x' * 10**6|'a\\x00b'|'\\ud800'|'\\udfff' * 1000|
b'bytes'|b''|bytearray(b'ab')|memoryview(b'ab')|'<script>alert(1)</script>'|'`' * 50|'\\n' * 50|'\\x1b[31mred'|
LyingText('x')|'\\u202e' + 'abc'|'%s%n{0}{x}'|'::error::x'|'=1+1'"""
TENSORS = """torch.tensor(0.5)|torch.tensor(float('nan'))|torch.tensor(float('inf'))|torch.tensor(True)|
torch.tensor(3)|torch.tensor([])|tensor(0, 3)|tensor(3, 0, 2)|tensor(3)|tensor(2, 3)|tensor(1, 1, 1)|
tensor(*[1] * 24)|tensor(*[2] * 20)|tensor(*[1] * 60)|tensor(16_000_000, dtype=torch.uint8)|tensor(1 << 17)|
tensor((1 << 17) + 1)|tensor(1 << 24, 0)|torch.empty(1 << 40, 0)|torch.zeros(1).expand(1 << 40)|
tensor(4, dtype=torch.float16)|tensor(4, dtype=torch.bfloat16)|tensor(4, dtype=torch.complex64)|
tensor(4, dtype=torch.complex128)|tensor(4, dtype=torch.int8)|tensor(4, dtype=torch.bool)|
tensor(4, dtype=torch.uint8)|torch.tensor(-2**63)|torch.tensor([2**62, -2**62])|torch.eye(3).to_sparse()|
torch.eye(3).to_sparse_csr()|torch.empty(3, device='meta')|torch.empty(2, 2, device='meta')|
torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])|
torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)|torch.nn.Parameter(torch.ones(3))|
torch.ones(3).as_subclass(LyingTensor)|torch.tensor(0.5).as_subclass(LyingTensor)|torch.conj(torch.ones(3) * 1j)|
torch.full((4,), 1e308, dtype=torch.float64)|torch.full((3, 3), float('nan'))|torch.full((2, 2), -float('inf'))|
torch.tensor([1e308, -1e308], dtype=torch.float64)|torch.eye(5).T[::2]|torch.zeros(3, dtype=torch.float8_e5m2)|
torch.zeros(3, dtype=torch.uint16)|torch.zeros(2**13, 16)"""
CONTAINERS = """[]|()|{}|set()|frozenset()|[None]|(None, None)|(1,)|(1, 2)|(1, 2, 3)|[0.5] * 7|list(range(7))|
[1] * 30_000|[0.0] * 10**6|list(range(100))|itself()|twice_itself()|own_value()|deep()|deep(25)|deep(31, tuple)|
LyingList([1, 2])|RaisingList()|EndlessList([1])|LyingDict(loss=1)|{1: 2}|{None: 1}|{(1, 2): 3}|
{float('nan'): 1, math.nan: 2}|{1: 1, '1': 2}|{True: 1, 'True': 2}|{frozenset(): 1}|{torch.ones((2,) * 20): 1}|
{b'x': 1}|{'\\ud800': 1}|{'x' * 10**5: 1}|{10**400: 1}|{i: i for i in range(10**5)}|
{str(i): 0.0 for i in range(5000)}|{'loss': None}|{'loss': 10**400}|{'loss': 'x'}|loss_of(float('nan'))|
loss_of(tensor(*[1] * 24))|range(10)|range(10**9)|iter([])|(i for i in range(3))|(i for i in iter(int, 1))|zip()|
map(str, [])|{1, 2}|Pair(1, 2)|Pair(torch.ones(3), None)|collections.deque([1])|collections.OrderedDict(a=1)|
collections.defaultdict(int)|collections.Counter('aab')|torch.Size([1, 2])|slice(None)|[[], [[]]]|
[torch.ones(1)] * 3000|(torch.ones(2), [torch.ones(3), 'x'])|[True] * 7|['dead', 'saturated']|[[1.0], [1.0, 2.0]]|
(float('nan'), 0)|(True, 0.0)|(False, 0.0)|(1, 0.0)|('True', 0.0)|(torch.tensor(True), 0.0)|(np.bool_(True), 0)"""
OBJECTS = """None|Ellipsis|NotImplemented|object()|Raises()|Raises|int|float|torch|torch.Tensor|torch.float64|len|
(lambda: 1)|ValueError('x')|KeyError|torch.Generator()|torch.device('cpu')|datetime.date(2024, 1, 1)|
datetime.timedelta(1)|type|type('x' * 5000, (), {})()|np|math|torch.nn.Linear(2, 2)|torch.strided|classmethod(int)|
property()|super|[Raises()]|(Raises(), Raises())|{'loss': Raises()}|{'a': object()}|[object()] * 7"""


def leaves() -> list[str]:
    text = "|".join((NUMBERS, NUMPY, TEXTS, TENSORS, CONTAINERS, OBJECTS))
    return [leaf.strip() for leaf in text.split("|")]


LEAVES = leaves()
LARGE = re.compile(r"10\*\*[4-9](?!\d)|\d{4}|_000|<<|\*\* ?(13|20)|twice_itself|Endless|deep\(\)|iter\(int")
SMALL = [leaf for leaf in LEAVES if not LARGE.search(leaf)]
"""What random nests are made of: those that take long are tried alone."""
KEYS = ["'loss'", "'dx'", "'losses'", "'W1'", "0", "1", "None", "(0, 1)", "'a b'", "2.5", "True"]


def expressions(seed: int) -> Iterator[str]:
    """Expressions without end, the same for the same seed; PRELUDE must have run before they are evaluated."""
    draw = random.Random(seed)
    yield from draw.sample(LEAVES, len(LEAVES))
    while True:
        yield nest(draw, draw.randint(1, 3))


def nest(draw: random.Random, depth: int) -> str:
    """A list, tuple or dict of up to eight leaves or further nests."""
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(SMALL)
    form, size = draw.choice("lltttd"), draw.choice((1, 2, 2, 2, 3, 7, 8))
    parts = [nest(draw, depth - 1) for _ in range(size)]
    if form == "d":
        return "{" + ", ".join(f"{draw.choice(KEYS)}: {part}" for part in parts) + "}"
    return f"[{', '.join(parts)}]" if form == "l" else f"({', '.join(parts)},)"


def evaluator() -> dict[str, Any]:
    """The globals in which expressions are evaluated."""
    scope: dict[str, Any] = {}
    exec(compile(PRELUDE, "hostile.py", "exec"), scope)
    return scope
