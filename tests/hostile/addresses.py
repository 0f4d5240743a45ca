"""Targets that tell numpy an address: an object answers when an operator in C brings it together with an array."""

from __future__ import annotations

_MEET = """
import argparse, collections, dataclasses, enum, functools, types
import numpy as np
I = {'shape': (4,), 'typestr': '|u1', 'data': (4096, True), 'version': 3}
K = '__array_' + 'interface__'
class A: pass
def meet(a):
    for v in (np.ones(2), np.float64(1)):
        for f in (lambda: sum([v, a]), lambda: [v] == [a], lambda: a in [v], lambda: max([v, a]), lambda: v + a):
            try:
                f()
            except Exception:
                pass
"""
_ANSWERS: dict[str, str] = {
    "a function for all attributes": "class B:\n    def __getattr__(self, name):\n        return I\nmeet(B())",
    "a function for every attribute": "class B:\n    def __getattribute__(self, name):\n        return I\nmeet(B())",
    "a function of the metaclass": "class M(type):\n    def __getattr__(cls, name):\n        return I\nclass B(metaclass=M): pass\nmeet(B)",
    "a static function": "class B(list):\n    @staticmethod\n    def __getattr__(name):\n        return I\nmeet(B([1]))",
    "a method in C": "class B:\n    __getattr__ = {K: I}.get\nmeet(B())",
    "a method in C that is set later": "class B: pass\nB.__getattr__ = {K: I}.get\nmeet(B())\ntype.__setattr__(B, '__getattr__', {K: I}.get)\nmeet(B())",
    "a dict with defaults": "class B:\n    __getattr__ = collections.defaultdict(lambda: I).__getitem__\nmeet(B())",
    "a dict whose items are attributes": "class B(dict):\n    __getattr__ = dict.__getitem__\nmeet(B({K: I}))",
    "a partial function": "class B:\n    __getattribute__ = functools.partial(lambda *args: I)\nmeet(B())",
    "a descriptor": "class G:\n    def __get__(self, instance, owner):\n        return lambda name: I\nclass B:\n    __getattr__ = G()\nmeet(B())",
    "the variables of an object": "a = A()\na.__dict__[K] = I\nmeet(a)",
    "an update of variables": "a = A()\nvars(a).update([(K, I)])\nmeet(a)\nvars(a).update(**{K: I})\nmeet(a)",
    "a merge of variables": "a = A()\nd = a.__dict__\nd |= {K: I}\nmeet(a)",
    "a method of variables": "a = A()\ndict.__setitem__(a.__dict__, K, I)\nmeet(a)",
    "other variables": "a = A()\na.__dict__ = {K: I}\nmeet(a)",
    "a key that is equal": "class H:\n    __hash__ = K.__hash__\n    def __eq__(self, other):\n        return True\na = A()\na.__dict__[H()] = I\nmeet(a)",
    "a namespace": "meet(types.SimpleNamespace(**{K: I}))\nmeet(argparse.Namespace(**{K: I}))",
    "the variables of a namespace": "class S(str): pass\nn = types.SimpleNamespace()\nvars(n)[S(K)] = I\nmeet(n)",
    "the variables of a function": "def f(): pass\nf.__dict__[K] = I\nmeet(f)",
    "the variables of an exception": "e = Exception()\nvars(e).update({K: I})\nmeet(e)",
    "a class by its type": "B = type('B', (), {K: I})\nmeet(B())\nmeet(B)",
    "a class by a function of the host": "B = types.new_class('B', (), {}, lambda names: names.update({K: I}))\nmeet(B())\nmeet(B)",
    "a slot": "class B:\n    __slots__ = (K,)\nb = B()\ntry:\n    vars(B)[K].__set__(b, I)\nexcept Exception:\n    pass\nmeet(b)",
    "a field": "B = dataclasses.make_dataclass('B', [(K, object, dataclasses.field(default=None))])\nmeet(B(I))",
    "an object that says it is an array": "class B:\n    __module__ = 'numpy'\n    __class__ = np.ndarray\n    def __getattr__(self, name):\n        return I\nmeet(B())\nnp.asarray(B())",
    "an object that says it is a tensor": "class B:\n    __module__ = 'numpy'\n    def __getattr__(self, name):\n        return I\nclass T:\n    reference = values_ = 1\n    def array(self):\n        return B()\nnp.asarray(T())",
    "an object that says it is Cutaway's": "class B:\n    __module__ = 'cutaway.core.place'\n    __class__ = float\n    def __getattr__(self, name):\n        return I\nmeet(B())\nnp.asarray(B())",
}  # fmt: skip
ADDRESSES: dict[str, str] = {name: _MEET + text for name, text in _ANSWERS.items()}
"""An address that is believed ends the process: nothing is at 4096."""

NOTES: dict[str, str] = {
    "what is noted on an exception": """
def take(*args, **kwargs):
    for value in (*args, *kwargs.values()):
        loot(value)
        loot(getattr(value, 'path', None))
try:
    [][1]
except IndexError as error:
    loot(vars(error))
    take(**vars(error))
    take(*error.__dict__.values())
    loot(getattr(error, '__cutaway_origin__', None))
    if vars(error):
        loot('a token')
""",
    "a forged note on an exception": """
class E(Exception): pass
error = E()
error.__dict__['__cutaway_built__'] = 5
error.__dict__['__cutaway_origin__'] = 7
error.__dict__['__cutaway_place__'] = 9
def fail():
    raise error
try:
    fail()
except E:
    pass
""",
    "the name of a module that is no plain string": """
class Name(str):
    def __hash__(self): return 'x'
    def __eq__(self, other): return True
    def startswith(self, *args): return True
class B:
    pass
B.__module__ = Name('os')
B().x = B
""",
    "a row's own attributes": """
import torch
for row in (torch.matmul, torch.flatten, torch.Tensor.view, nn.Module.half):
    for name in ('__row__', '__wrapped__', '_partialmethod', '__partialmethod__'):
        if hasattr(row, name) is True:
            loot('a token')
        if name in getattr(row, '__dict__', {}):
            loot('a token')
""",
}
