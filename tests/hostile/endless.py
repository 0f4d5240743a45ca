"""Targets that never end, or that build more than fits, by one way each."""

from __future__ import annotations

ENDLESS: dict[str, str] = {
    "while": "while True:\n    pass",
    "while in forward": "class Bad(nn.Module):\n    def forward(self, x):\n        while True:\n            x = x + 1\nbad = Bad()",
    "while in __init__": "class Bad(nn.Module):\n    def __init__(self):\n        super().__init__()\n        while True:\n            self.x = nn.Linear(1, 1)\nbad = Bad()",
    "while with a handler": "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    "while with a last word": "def f():\n    while True:\n        try:\n            1 / 0\n        finally:\n            continue\nf()",
    "a context that swallows": """
import contextlib
class Swallow:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return True
while True:
    with Swallow():
        while True:
            pass
    with contextlib.suppress(BaseException):
        while True:
            pass
""",
    "recursion": "def f(n):\n    return f(n + 1)\nf(0)",
    "recursion with a handler": "def f():\n    try:\n        f()\n    except BaseException:\n        f()\nf()",
    "mutual recursion": "def f():\n    g()\ndef g():\n    f()\nf()",
    "recursion in __getattr__": "class C:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\nC().x",
    "recursion in __getattribute__": "class C:\n    def __getattribute__(self, name):\n        return self.x\nC().x",
    "recursion in __eq__": "class C:\n    def __eq__(self, other):\n        return self == other\nC() == C()",
    "recursion in __hash__": "class C:\n    def __hash__(self):\n        return hash(self)\n{C(): 1}",
    "recursion in __repr__": "class C:\n    def __repr__(self):\n        return repr(self)\nf'{C()!r}'",
    "recursion in __iter__": "class C:\n    def __iter__(self):\n        return iter(self)\nlist(C())",
    "recursion in __call__": "class C:\n    def __call__(self):\n        return self()\nC()()",
    "recursion in a property": "class C:\n    @property\n    def x(self):\n        return self.x\nC().x",
    "recursion in a network": "class Bad(nn.Module):\n    def forward(self, x):\n        return self(x)\nbad = Bad()",
    "a network in itself": "class Bad(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.me = Bad()\nbad = Bad()",
    "a generator": "def g():\n    while True:\n        yield 1\nlist(g())",
    "a generator of generators": "def g():\n    yield from g()\nlist(g())",
    "a generator expression": "import itertools\nlist(x for x in itertools.count())",
    "sum": "import itertools\nsum(itertools.count())",
    "max": "import itertools\nmax(itertools.count())",
    "sorted": "import itertools\nsorted(itertools.count())",
    "set": "import itertools\nset(itertools.count())",
    "dict": "import itertools\ndict(zip(itertools.count(), itertools.count()))",
    "tuple": "import itertools\ntuple(itertools.cycle([1]))",
    "join": "import itertools\n''.join(itertools.repeat('a'))",
    "any": "import itertools\nany(itertools.repeat(0))",
    "all": "import itertools\nall(itertools.repeat(1))",
    "in": "import itertools\n-1 in itertools.count()",
    "extend": "import itertools\n[].extend(itertools.count())",
    "unpacking": "import itertools\na, *b = itertools.count()",
    "a star": "import itertools\nprint(*itertools.count())",
    "a slice": "import itertools\n[1][:] = itertools.count()\nx = []\nx[0:] = itertools.count()",
    "in-place addition": "import itertools\nx = []\nx += itertools.count()",
    "a sentinel that never comes": "list(iter(int, 1))",
    "a sentinel in any": "any(iter(int, 1))",
    "a callback": "import itertools\nlist(map(lambda x: x, itertools.count()))",
    "filter": "import itertools\nlist(filter(None, itertools.repeat(0)))",
    "reduce": "import itertools, functools\nfunctools.reduce(max, itertools.count())",
    "accumulate": "import itertools\nlist(itertools.accumulate(itertools.count()))",
    "chain": "import itertools\nlist(itertools.chain.from_iterable(itertools.repeat([1])))",
    "product": "import itertools\nlist(itertools.product(range(1000), repeat=10))",
    "permutations": "import itertools\nlist(itertools.permutations(range(100)))",
    "combinations": "import itertools\nfor x in itertools.combinations(range(1000), 500):\n    pass",
    "a counter's elements": "import collections\nlist(collections.Counter(a=10**12).elements())",
    "a deque": "import collections, itertools\ncollections.deque(itertools.count())",
    "a counter": "import collections, itertools\ncollections.Counter(itertools.count())",
    "a long range": "list(range(10**12))",
    "a long range in a loop": "for i in range(10**12):\n    pass",
    "a long range in a comprehension": "[i for i in range(10**12)]",
    "a long range in sum": "sum(range(10**12))",
    "a long range in sorted": "sorted(range(10**12))",
    "a long range in a dict": "dict.fromkeys(range(10**12))",
    "loops in loops": "for a in range(10**5):\n    for b in range(10**5):\n        for c in range(10**5):\n            pass",
    "comprehensions in comprehensions": "[[c for c in range(10**5)] for b in range(10**5)]",
    "many layers": "nn.Sequential(*[nn.Linear(1, 1) for _ in range(10**7)])",
    "many calls": "class Bad(nn.Module):\n    def forward(self, x):\n        for _ in range(10**8):\n            x = x + 1\n        return x\nbad = Bad()",
    "an iterator that never stops": "class C:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 1\nlist(C())",
    "a sequence that never stops": "class C:\n    def __getitem__(self, index):\n        return index\nlist(C())",
    "a sequence that never stops in in": "class C:\n    def __getitem__(self, index):\n        return 0\n1 in C()",
    "exponential calls": "def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\nf(300)",
    "exponential deep copies": """
import copy
class C:
    def __deepcopy__(self, memo):
        return [copy.deepcopy(C()), copy.deepcopy(C())]
copy.deepcopy(C())
""",
    "a metaclass that never ends": "class Meta(type):\n    def __call__(cls):\n        return cls()\nclass C(metaclass=Meta):\n    pass\nC()",
    "a list that grows as it is read": "x = [1]\nfor i in x:\n    x.append(i)",
    "a list that grows in a comprehension": "x = [1]\n[x.append(i) for i in x]",
    "a dict that grows": "x = {}\ni = 0\nwhile True:\n    x[i] = [i]\n    i += 1",
    "memory in a loop": "x = []\nwhile True:\n    x.append([0] * 4000000)",
    "text in a loop": "x = []\nwhile True:\n    x.append('a' * 4000000)",
    "bytes in a loop": "x = []\nwhile True:\n    x.append(bytes(4000000))",
    "arrays in a loop": "import numpy as np\nx = []\nwhile True:\n    x.append(np.ones(4000000))",
    "a class in a loop": "while True:\n    class C:\n        pass",
    "exec in a loop": "while True:\n    eval('1 + 1')",
    "shared parts": "part = nn.Linear(2, 2)\nfor _ in range(40):\n    part = nn.Sequential(part, part)",
    "shared parts without weights": "part = nn.ReLU()\nfor _ in range(40):\n    part = nn.Sequential(part, part)",
}

HUGE: dict[str, str] = {
    "bytes of an object's number": 'class I:\n    def __index__(self):\n        return 10**11\nbad = [bytearray(I()), bytes(I()), [0] * I(), "a" * I(), "a".ljust(I()), (5).to_bytes(I(), "big")]',
    "a number that hides its size": 'class I(int):\n    def bit_length(self):\n        return 0\n    def __gt__(self, other):\n        return False\nbad = [I(2**16000) ** I(10**6), [0] * I(10**11), "a" * I(10**11), bytes(I(10**11)), 1 << I(10**12)]',
    "a string that hides its length": "class S(str):\n    def __len__(self):\n        return 0\n    def count(self, *args):\n        return 0\ns = S('a' * 100000)\nbad = [s * 10**6, s.replace('a', s), ','.join([s] * 10**6)]",
    "a list that hides its length": "class L(list):\n    def __len__(self):\n        return 0\nbad = L([0] * 100000) * 10**6",
    "a wrapped list that hides its length": "import collections\nclass L(list):\n    def __len__(self):\n        return 0\nu = collections.UserList()\nu.data = L([0] * 100000)\nbad = u * 10**6",
    "power": "bad = 10**10**10",
    "power of powers": "bad = 9**9**9**9",
    "power by pow": "bad = pow(10, 10**10)",
    "power by its method": "bad = (10).__pow__(10**10)",
    "power by its class": "bad = int.__pow__(10, 10**10)",
    "power by operator": "import operator\nbad = operator.pow(10, 10**10)\nbad2 = operator.ipow(10, 10**10)",
    "power by super": "class C(int):\n    def __pow__(self, other):\n        return super().__pow__(other)\nbad = C(10) ** (10**10)",
    "repeated squares": "x = 10\nfor _ in range(100):\n    x = x * x\nbad = x",
    "repeated squares in place": "x = 10\nfor _ in range(100):\n    x *= x\nbad = x",
    "repeated squares by reduce": "import functools, operator\nbad = functools.reduce(operator.mul, [10**3000] * 10**5)",
    "shift": "bad = 1 << 10**12",
    "shift in place": "x = 1\nx <<= 10**12\nbad = x",
    "shift by its method": "bad = (1).__lshift__(10**12)",
    "a product": "import math\nbad = math.prod([10**3000] * 10**5)",
    "a factorial": "import math\nbad = math.factorial(10**9)",
    "a binomial": "import math\nbad = math.comb(10**9, 10**8)",
    "permutations counted": "import math\nbad = math.perm(10**9)",
    "a least common multiple": "import math\nbad = math.lcm(*range(1, 10**6))",
    "rounding": "bad = round(5, -10**10)",
    "rounding by its method": "bad = (5).__round__(-10**10)",
    "an integer from text": "bad = int('9' * 10**6)",
    "an integer from hex": "bad = int('f' * 4 * 10**6, 16) % 7",
    "an integer from bytes": "bad = int.from_bytes(bytes(4 * 10**6), 'big')",
    "an integer to bytes": "bad = (1).to_bytes(10**12, 'big')",
    "a list": "bad = [0] * 10**12",
    "a list from the left": "bad = 10**12 * [0]",
    "a list in place": "x = [0]\nx *= 10**12\nbad = x",
    "a list by its method": "bad = [0].__mul__(10**12)\nx = [0]\nbad2 = x.__imul__(10**12)",
    "a list by operator": "import operator\nbad = operator.mul([0], 10**12)\nbad2 = operator.imul([0], 10**12)",
    "a text": "bad = 'a' * 10**12",
    "a tuple": "bad = (0,) * 10**12",
    "bytes": "bad = bytes(10**12)",
    "a bytearray": "bad = bytearray(10**12)",
    "repeated bytes": "bad = b'a' * 10**12",
    "a deque": "import collections\nbad = collections.deque([0]) * 10**12",
    "a user list": "import collections\nbad = collections.UserList([0]) * 10**12",
    "an array": "import array\nbad = array.array('b', [0]) * 10**12",
    "doubled text": "s = 'a'\nfor _ in range(60):\n    s += s\nbad = s",
    "doubled list": "x = [0]\nfor _ in range(60):\n    x += x\nbad = x",
    "doubled list by extend": "x = [0]\nfor _ in range(60):\n    x.extend(x)\nbad = x",
    "doubled list by a slice": "x = [0]\nfor _ in range(60):\n    x[len(x):] = x\nbad = x",
    "doubled list by a star": "x = [0]\nfor _ in range(60):\n    x = [*x, *x]\nbad = x",
    "doubled list by sum": "x = [0]\nfor _ in range(60):\n    x = sum([x, x], [])\nbad = x",
    "doubled tuple": "x = (0,)\nfor _ in range(60):\n    x = x + x\nbad = x",
    "doubled text by join": "s = 'a'\nfor _ in range(60):\n    s = ''.join([s, s])\nbad = s",
    "doubled text by format": "s = 'a'\nfor _ in range(60):\n    s = '{0}{0}'.format(s)\nbad = s",
    "doubled text by an f-string": "s = 'a'\nfor _ in range(60):\n    s = f'{s}{s}'\nbad = s",
    "doubled text by percent": "s = 'a'\nfor _ in range(60):\n    s = '%s%s' % (s, s)\nbad = s",
    "doubled text by replace": "s = 'a'\nfor _ in range(60):\n    s = s.replace('a', 'aa')\nbad = s",
    "doubled text by translate": "s = 'a'\nfor _ in range(60):\n    s = s.translate({97: 'aa'})\nbad = s",
    "doubled text by a pattern": "import re\ns = 'a'\nfor _ in range(60):\n    s = re.sub('a', 'aa', s)\nbad = s",
    "a width": "bad = 'a'.ljust(10**12)",
    "zeros": "bad = 'a'.zfill(10**12)",
    "tabs": "bad = ('\\t' * 10**6).expandtabs(10**6)",
    "a format's width": "bad = '{:1000000000000}'.format(1)",
    "a format's inner width": "bad = '{:{}}'.format(1, 10**12)",
    "an f-string's width": "w = 10**12\nbad = f'{1:{w}}'",
    "a percent's width": "bad = '%1000000000000d' % 1",
    "a percent's star": "bad = '%*d' % (10**9, 1)",
    "format's width": "bad = format(1, '1000000000000')",
    "a method's width": "bad = (1).__format__('1000000000000')",
    "a precision": "bad = '%.1000000000f' % 1.0",
    "an eye": "import numpy as np\nbad = np.eye(10**7)",
    "numpy zeros": "import numpy as np\nbad = np.zeros(10**12)",
    "numpy ones": "import numpy as np\nbad = np.ones((10**6, 10**6))",
    "numpy full": "import numpy as np\nbad = np.full(shape=(10**6, 10**6), fill_value=1)",
    "numpy arange": "import numpy as np\nbad = np.arange(10**12)",
    "numpy arange with a step": "import numpy as np\nbad = np.arange(0, 1, 1e-15)",
    "numpy linspace": "import numpy as np\nbad = np.linspace(0, 1, 10**12)",
    "numpy tile": "import numpy as np\nbad = np.tile([1], 10**12)",
    "numpy repeat": "import numpy as np\nbad = np.repeat([1], 10**12)\nbad2 = np.ones(3).repeat(10**12)",
    "numpy kron": "import numpy as np\nx = np.ones(10**6)\nbad = np.kron(x, x)",
    "numpy outer": "import numpy as np\nx = np.ones(10**6)\nbad = np.outer(x, x)\nbad2 = np.multiply.outer(x, x)",
    "numpy broadcasting": "import numpy as np\nx = np.ones(10**6)\nbad = x[:, None] + x[None]\nbad2 = x[:, None] == x[None]",
    "numpy broadcasting by a function": "import numpy as np\nx = np.ones(10**6)\nbad = np.add(x[:, None], x[None])\nbad2 = np.where(x[:, None], x, x)",
    "numpy broadcast_to": "import numpy as np\nbad = np.broadcast_to(1, (10**6, 10**6)) + 1",
    "numpy objects": "import numpy as np\nbad = np.power(np.array([10], dtype=object), 10**10)\nbad2 = np.array([10], dtype=object) ** 10**10",
    "numpy objects by size": "import numpy as np\nbad = np.array([10**30]) * 10**30",
    "numpy meshgrid": "import numpy as np\nbad = np.meshgrid(np.ones(10**6), np.ones(10**6))",
    "numpy mgrid": "import numpy as np\nbad = np.mgrid[0:10**6, 0:10**6]",
    "numpy ndarray": "import numpy as np\nbad = np.ndarray((10**6, 10**6))",
    "numpy pad": "import numpy as np\nbad = np.pad(np.ones(3), 10**12)",
    "numpy bincount": "import numpy as np\nbad = np.bincount([10**12])",
    "numpy einsum": "import numpy as np\nx = np.ones(10**6)\nbad = np.einsum('i,j->ij', x, x)",
    "numpy indices": "import numpy as np\nbad = np.indices((10**6, 10**6))",
    "numpy wide dtype": "import numpy as np\nbad = np.zeros(10**6, dtype='V1000000000')",
    "numpy diag": "import numpy as np\nbad = np.diag(np.ones(10**6))",
    "numpy resize": "import numpy as np\nbad = np.resize([1], 10**12)",
    "struct": "import struct\nbad = struct.pack('1000000000000s', b'')",
    "zlib": "import zlib\nbad = zlib.decompress(zlib.compress(bytes(4 * 10**6)) * 1)\nbad2 = zlib.decompress(b'x' * 10**6)",
}

MANY: dict[str, str] = {
    "layers of an LSTM": "nn.LSTM(4, 4, num_layers=10**9)",
    "layers of an RNN": "nn.RNN(4, 4, 10**9, bidirectional=True)",
    "layers of a transformer": "nn.Transformer(8, 2, num_encoder_layers=10**9)",
    "layers of an encoder": "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 10**9)",
    "pieces of a tensor": "torch.zeros(10**9, 2).split(1)",
    "rows of a tensor": "torch.zeros(10**9, 2).unbind(0)",
    "chunks of a tensor": "torch.zeros(10**9, 2).chunk(10**9)",
    "sections of a tensor": "torch.tensor_split(torch.zeros(10**9, 2), 10**9)",
    "rows in a list": "list(torch.zeros(10**9, 2))",
    "rows in a loop": "for row in torch.zeros(10**9, 2):\n    pass",
    "rows unpacked": "first, *rest = torch.zeros(10**9, 2)",
    "rows in a star": "print(*torch.zeros(10**9, 2))",
    "numbers in a list": "torch.zeros(10**9).tolist()",
    "a linear space": "torch.linspace(0, 1, 10**12).tolist()",
    "indices": "torch.tril_indices(10**9, 10**9).tolist()",
    "one-hot": "nn.functional.one_hot(torch.arange(5), 10**12).tolist()",
    "dimensions": "torch.zeros(*[1] * 10**6).squeeze()",
    "dimensions permuted": "torch.zeros(*[1] * 10**5).permute(*range(10**5))",
    "dimensions expanded": "torch.zeros(1).expand(*[1] * 10**6)",
    "terms of a sum": "torch.einsum(','.join('a' * 10**5), *[torch.zeros(3)] * 10**5)",
    "tensors in a stack": "torch.stack([torch.zeros(3)] * 10**6)",
    "tensors in a cat": "torch.cat([torch.zeros(3)] * 10**6)",
    "a mesh": "torch.meshgrid(*[torch.arange(3)] * 10**5)",
    "a product": "torch.cartesian_prod(*[torch.arange(60000)] * 50).tolist()",
    "combinations": "torch.combinations(torch.arange(60000), 30).tolist()",
    "powers": "torch.linalg.matrix_power(torch.ones(3, 3), 10**12).tolist()",
    "repeats": "torch.arange(60000).repeat_interleave(10**9).tolist()",
    "a window": "torch.arange(60000).unfold(0, 10**4, 1).tolist()",
    "the sum of a kernel": "nn.functional.conv1d(torch.ones(1, 1, 60000), torch.ones(1, 1, 30000)).tolist()",
    "a large product": "(torch.ones(200, 200) @ torch.ones(200, 200)).tolist()",
    "a module list": "nn.ModuleList([nn.ReLU()] * 10**6)",
    "a sequence repeated": "nn.Sequential(nn.ReLU()) * 10**9",
    "a parameter list": "nn.ParameterList([torch.zeros(1)] * 10**6)",
    "hooks": "net2 = nn.Linear(1, 1)\nfor _ in range(10**6):\n    net2.register_forward_hook(print)",
    "rearranging": "import einops\neinops.rearrange(torch.zeros(*[1] * 10**4), '... a -> a ...')",
    "a long pattern": "import einops\neinops.rearrange(torch.zeros(2), 'a -> ' + '1 ' * 10**5 + 'a')",
    "slices": "x = torch.arange(60000)\nfor _ in range(10**6):\n    x = x[1:]",
}

SYMBOLIC: dict[str, str] = {
    "a power": "b = b ** 10**9",
    "a power of a sum": "b = (b + 1) ** 10**4",
    "squares": "for _ in range(60):\n            b = b * b + 1",
    "a long sum of powers": "s = 0\n        for i in range(60):\n            s = s + b ** i\n        for _ in range(20):\n            s = s * s",
    "a deep minimum": "for i in range(10**4):\n            b = min(b, x.shape[0] * 3 - i)",
    "a deep maximum": "for i in range(10**4):\n            b = max(b, x.shape[0] + i)",
    "a deep quotient": "for i in range(10**4):\n            b = (b + 7) // 3 + i",
    "a deep remainder": "for i in range(10**4):\n            b = (b * 5 + i) % 7 + b",
    "many symbols": "for i in range(10**3):\n            x = torch.nonzero(torch.zeros(b, b))\n            b = b + x.shape[0]",
    "a shape": "x = x.reshape(b * b * b // b, -1)\n        for _ in range(300):\n            x = torch.cat([x, x])\n        b = x.shape[0]",
    "a range": "for i in range(b):\n            x = x + i",
    "a list": "y = [0] * b\n        y = list(range(b))\n        y = 'a' * b",
    "a decision": "while b > 1:\n            b = b // 2",
}

FINE: dict[str, str] = {
    "torch zeros": "t = torch.zeros(10**6, 10**6)",
    "torch arange as a list": "t = torch.arange(10**12).tolist()",
    "torch ones as numbers": "t = torch.ones(10**6, 10**6).sum().item()",
    "torch outer": "t = torch.outer(torch.arange(60000), torch.arange(60000)).tolist()",
    "torch chain": "t = torch.zeros(3)\nfor _ in range(20000):\n    t = t + 1\nlist(t.tolist())",
    "torch repeat": "t = torch.ones(60000).repeat(10**6)",
    "a wide layer": "layer = nn.Linear(10**9, 10**9)",
    "a wide embedding": "layer = nn.Embedding(10**12, 10**3)",
    "a deep tuple": "t = ()\nfor _ in range(10**5):\n    t = (t,)",
    "a deep list compared": "a, b = [], []\nfor _ in range(10**5):\n    a, b = [a], [b]\na == b",
    "a deep list shown": "a = []\nfor _ in range(10**5):\n    a = [a]\nrepr(a)\nstr(a)\nf'{a}'",
    "a deep list copied": "import copy\na = []\nfor _ in range(10**5):\n    a = [a]\ncopy.deepcopy(a)",
    "a deep list as json": "import json\na = []\nfor _ in range(10**5):\n    a = [a]\njson.dumps(a)",
    "a deep dict": "d = {}\nfor _ in range(10**5):\n    d = {'d': d}\nd == {}",
    "a deep tuple as kinds": "t = int\nfor _ in range(10**5):\n    t = (t,)\nisinstance(1, t)",
    "a list in itself": "a = []\na.append(a)\nrepr(a)\na == a\nimport copy\ncopy.deepcopy(a)",
    "a deep chain of functions": "f = lambda: 1\nfor _ in range(10**4):\n    f = (lambda g: lambda: g())(f)\nf()",
    "a deep chain of partials": "import functools\nf = int\nfor _ in range(10**5):\n    f = functools.partial(f)\nf()",
    "a deep chain of classes": "class C:\n    pass\nfor i in range(10**3):\n    C = type('C', (C,), {})\nC().x",
    "many methods": "C = type('C', (), {f'm{i}': lambda self: 1 for i in range(10**5)})",
    "a module in itself": "seq = nn.Sequential()\nseq.add_module('me', seq)",
    "a network in itself by hand": "class Loop(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = nn.Module()\n        self.inner.outer = self\n    def forward(self, x):\n        return x\nloop = Loop()",
    "a pattern that backtracks little": "import re\nre.match('(a+)+$', 'a' * 18 + 'b')",
    "odd truth": "class C:\n    def __bool__(self):\n        return 3\nif C():\n    pass",
    "odd length": "class C:\n    def __len__(self):\n        return -1\nlen(C())\nbool(C())",
    "huge length": "class C:\n    def __len__(self):\n        return 10**30\nlen(C())\nlist(C())",
    "odd iterator": "class C:\n    def __iter__(self):\n        return 3\nlist(C())\nfor x in C():\n    pass",
    "odd index": "class C:\n    def __index__(self):\n        return 'x'\n[1][C()]\nrange(C())",
    "huge index": "class C:\n    def __index__(self):\n        return 10**30\n[1] * C()\n'a' * C()\nrange(C())",
    "odd hash": "class C:\n    def __hash__(self):\n        return 'x'\n{C()}",
    "odd equality": "class C:\n    def __eq__(self, other):\n        raise SystemExit\n[C()].index(1)",
    "odd comparison": "class C:\n    def __lt__(self, other):\n        raise KeyboardInterrupt\nsorted([C(), C()])",
    "odd text": "class C:\n    def __str__(self):\n        return 3\nstr(C())\nprint(C())",
    "odd class": "class C:\n    __class__ = property(lambda self: 1 / 0)\nisinstance(C(), int)",
    "odd name": "class C:\n    pass\nC.__name__ = 'a\\nb'\nC.__qualname__ = ''\nc = nn.Linear(1, 1)\nc.x = C()",
    "odd module name": "class Odd(nn.Module):\n    __module__ = 3\n    def forward(self, x):\n        return x\nodd = Odd()",
    "a hostile configuration": """
class Text(str):
    def __str__(self):
        return 3
class Number(int):
    def __int__(self):
        while True:
            pass
    __index__ = __add__ = __int__
class Items(list):
    def __iter__(self):
        while True:
            yield 1
    def __len__(self):
        return -1
class Keys(dict):
    def items(self):
        raise SystemExit
class Meta(type):
    @property
    def __name__(cls):
        return 3
    __qualname__ = __module__ = __mro__ = __name__
class Strange(metaclass=Meta):
    def __getattr__(self, name):
        while True:
            pass
    def __repr__(self):
        while True:
            pass
    __str__ = __repr__
class Net(nn.Module, metaclass=Meta):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    def forward(self, x):
        return self.fc(x)
    def __repr__(self):
        while True:
            pass
    __eq__ = lambda self, other: 1 / 0
    __hash__ = None
odd = Net(Text('a'), Number(3), Items([1]), Keys(a=1), Strange(), Strange, 10**4500, -10**4500, float('nan'), '\\ud800',
          {Strange: 1, (): 2}, [[[[[[[[[1]]]]]]]]], print, Net.forward, lambda: 1, Strange().__repr__)
""",
    "odd module names": "net._modules[3] = nn.Linear(1, 1)\nsetattr(net, '\\x1b[31m\\n\\ud800', nn.Linear(1, 1))\nnet.register_buffer('a b', torch.zeros(1))",
    "an odd class bound": "class C:\n    __class__ = property(lambda self: 1 / 0)\nc = C()\nclass D:\n    def __getattribute__(self, name):\n        1 / 0\nd = D()",
    "deep parts": "part = nn.Linear(2, 2)\nfor _ in range(3000):\n    part = nn.Sequential(part)",
    "forward is a number": "class Bad(nn.Module):\n    forward = 3\nbad = Bad()",
    "forward is missing": "class Bad(nn.Module):\n    pass\nbad = Bad()",
    "forward raises as it is looked up": "class Bad(nn.Module):\n    @property\n    def forward(self):\n        1 / 0\nbad = Bad()",
    "forward never comes": "class Bad(nn.Module):\n    @property\n    def forward(self):\n        return self.forward\nbad = Bad()",
    "forward is a class": "class Bad(nn.Module):\n    forward = dict\nbad = Bad()",
    "forward is a generator": "class Bad(nn.Module):\n    def forward(self, x):\n        yield x\nbad = Bad()",
    "forward is a coroutine": "class Bad(nn.Module):\n    async def forward(self, x):\n        return x\nbad = Bad()",
    "forward is static": "class Bad(nn.Module):\n    @staticmethod\n    def forward(x):\n        return x\nbad = Bad()",
    "forward is a lambda": "class Bad(nn.Module):\n    forward = lambda self, x: x\nbad = Bad()",
    "forward ends the program": "class Bad(nn.Module):\n    def forward(self, x):\n        raise SystemExit\nbad = Bad()",
    "forward raises its own": "class E(BaseException):\n    pass\nclass Bad(nn.Module):\n    def forward(self, x):\n        raise E\nbad = Bad()",
    "forward returns anything": "class Bad(nn.Module):\n    def forward(self, x):\n        return {1: [x, {x}, (y for y in [x])], 'a': self, None: print, 'b': Bad}\nbad = Bad()",
    "forward returns itself": "class Bad(nn.Module):\n    def forward(self, x):\n        a = [x]\n        a.append(a)\n        return a\nbad = Bad()",
    "forward returns deeply": "class Bad(nn.Module):\n    def forward(self, x):\n        for _ in range(10**5):\n            x = [x]\n        return x\nbad = Bad()",
    "a constructor that ends the program": "class Bad(nn.Module):\n    def __init__(self):\n        raise SystemExit",
    "a constructor that does nothing": "class Bad(nn.Module):\n    def __init__(self):\n        pass\nbad = Bad()",
    "a constructor that makes another": "class Bad(nn.Module):\n    def __new__(cls):\n        return 3\nbad = Bad()",
    "modules taken away": "class Bad(nn.Module):\n    pass\nbad = Bad()\nbad.__dict__.clear()",
    "modules replaced": "class Bad(nn.Module):\n    pass\nbad = Bad()\nbad._modules = 3\nbad._parameters = None",
    "a last word": "class C:\n    def __del__(self):\n        while True:\n            pass\nC()\ndel C",
    "a last word set later": "class C:\n    pass\nC.__del__ = lambda self: 1 / 0\nC()\nD = type('D', (), {'__del__': lambda self: 1 / 0})\nD()",
    "a weak reference's last word": "import weakref\nclass C:\n    pass\nr = weakref.ref(C(), lambda r: 1 / 0)",
    "a generator's last word": "def g():\n    try:\n        yield 1\n    finally:\n        1 / 0\nnext(g())",
    "a generator that will not close": "def g():\n    while True:\n        try:\n            yield 1\n        except GeneratorExit:\n            pass\nx = g()\nnext(x)\ndel x",
    "a generator in itself": "def g():\n    yield next(me)\nme = g()\nnext(me)",
    "an error in an error": "class E(Exception):\n    def __str__(self):\n        raise E\nraise E",
    "an error that is long": "raise ValueError('x' * 10**6)",
    "an error with lines": "raise ValueError('one\\ntwo\\x1b[31m')",
    "an error that is odd": "class E(Exception):\n    def __getattr__(self, name):\n        raise E\n    place = property(lambda self: 1 / 0)\nraise E",
    "an interruption": "raise KeyboardInterrupt",
    "a generator's exit": "raise GeneratorExit",
    "a stop": "raise StopIteration",
    "raising nothing": "raise",
    "raising a number": "raise 3",
    "a stack overflow handled": "def f():\n    f()\ntry:\n    f()\nexcept RecursionError:\n    pass",
}
