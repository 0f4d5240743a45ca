"""No class of a target stays behind in the abstract classes of the host, which ask and remember, in the caller's process."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import cutaway
from tests.hostile.apart import apart

_LIES: dict[str, str] = {
    "a metaclass that answers": """
import abc, collections.abc, numbers
class M(abc.ABCMeta):
    def __subclasscheck__(cls,o): return True
    def __instancecheck__(cls,o): return True
for B in (collections.abc.Mapping, collections.abc.Sequence, numbers.Integral, collections.abc.Callable):
    class T(B, metaclass=M): pass
    for k in (int,str,list,dict,type,Exception,range):
        for c in B.__mro__:
            try: issubclass(k,c); isinstance(k(),c)
            except Exception: pass
""",
    "a hook that is set later": """
import abc, collections.abc, numbers
class T(numbers.Integral): pass
T.__subclasshook__ = classmethod(lambda c,o: True)
for k in (int,str,list,dict,type,Exception,range):
    issubclass(k,T); issubclass(k,numbers.Number); issubclass(k,numbers.Complex)
""",
    "a metaclass that lists other subclasses": """
import abc, collections.abc, numbers
class M(abc.ABCMeta):
    def __subclasses__(cls): return [str, int, list]
class T(collections.abc.Mapping, metaclass=M): pass
class H(collections.abc.Mapping): pass
for k in (int,str,list,dict,type,Exception,range):
    issubclass(k,T); issubclass(k,collections.abc.Mapping); issubclass(k,collections.abc.Collection)
""",
    "classes that functions of the host create": """
import abc, collections.abc, numbers, types, enum, dataclasses
class Mixin:
    @classmethod
    def __subclasshook__(cls,o): return True
def go():
    T=types.new_class('T',(Mixin, numbers.Integral))
    U=dataclasses.make_dataclass('U',[], bases=(Mixin,collections.abc.Mapping))
    V=type(numbers.Integral)('V',(Mixin,numbers.Rational),{})
    W=dataclasses.dataclass(slots=True)(type(numbers.Integral)('W',(Mixin,collections.abc.Sequence),{'a':1,'__annotations__':{'a':int}}))
    for k in (int,str,list,dict,type,Exception,range):
        for B in (numbers.Number,collections.abc.Mapping,numbers.Rational,collections.abc.Sequence,collections.abc.Iterable,collections.abc.Sized):
            issubclass(k,B), isinstance(k,B)
go()
""",
    "a hook of another base": """
import abc, collections.abc, numbers, types
class Mixin:
    @classmethod
    def __subclasshook__(cls,o): return True
class T(Mixin, collections.abc.Mapping): pass
class T2(Mixin, numbers.Integral): pass
class T3(Mixin, collections.abc.Hashable, collections.abc.Callable): pass
for k in (int,str,list,dict,type,Exception,range):
    for B in (numbers.Number,collections.abc.Mapping,numbers.Rational,collections.abc.Sequence,collections.abc.Iterable,collections.abc.Sized, collections.abc.Callable, collections.abc.Hashable, collections.abc.Container):
        issubclass(k,B), isinstance(k,B)
""",
    "classes that refer to themselves": """
import abc, collections.abc, numbers, types, typing, os, contextlib
class Mixin:
    @classmethod
    def __subclasshook__(cls,o): return True
A=abc.ABCMeta
def make(*b):
    for n in ('A','B'):
        k=A(n,b,{})
        k.self=k
L=[c for c in vars(collections.abc).values() if isinstance(c,type)]+[numbers.Number,numbers.Integral,os.PathLike,contextlib.AbstractContextManager]
for c in L:
    try: make(Mixin,c)
    except Exception as e: pass
for c in L:
    for k in (int,str,list,dict,type,Exception,range,object):
        try: issubclass(k,c)
        except Exception as e: pass
""",
    "protocols": """
import typing
class Mixin:
    @classmethod
    def __subclasshook__(cls,o): return True
@typing.runtime_checkable
class P(Mixin, typing.Protocol):
    def f(self): ...
class Q(Mixin, typing.SupportsInt): pass
class R(Mixin, typing.SupportsAbs): pass
for k in (int,str,list,dict,type,Exception,range):
    for c in (typing.SupportsInt,typing.SupportsAbs,P,Q,R):
        try: issubclass(k,c), isinstance(k(),c)
        except Exception: pass
""",
}
_KINDS = (int, str, list, dict, set, type, object, Exception, bytes, float, range, property, cutaway.CutawayError, Path)


def _abstract() -> list[type]:
    found, waiting = [], [object]
    while waiting:
        new = [cls for cls in type.__subclasses__(waiting.pop()) if cls not in found]
        found += new
        waiting += new
    return [cls for cls in found if issubclass(type(cls), ABCMeta)]


def _answers(classes: list[type]) -> dict[tuple[type, type], Any]:
    answers: dict[tuple[type, type], Any] = {}
    for abstract in classes:
        for kind in _KINDS:
            answers[abstract, kind] = None
            with suppress(TypeError):  # protocols that can't be asked
                answers[abstract, kind] = issubclass(kind, abstract)
    return answers


def _changed(folder: Path, text: str) -> list[str]:
    model = folder / "model.py"
    model.write_text(f"{text}\nfrom torch import nn\nnet = nn.Linear(2, 3)\n")
    classes = _abstract()
    before = _answers(classes)
    with suppress(cutaway.CutawayError):
        cutaway.show(str(model), input="1x2", isolated=False)
    return [f"{pair}" for pair, answer in _answers(classes).items() if before[pair] != answer]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _LIES.items()])
def test_abstract_classes_answer_as_before(tmp_path: Path, text: str) -> None:
    assert apart(_changed, tmp_path, text) == []


def test_classes_of_the_caller_keep_their_answers(tmp_path: Path) -> None:
    """Such a class is found by no name, and is none of the target's all the same."""

    class Answering(Mapping[str, int]):
        @classmethod
        def __subclasshook__(cls, other: type) -> Any:
            return other is Path or NotImplemented

    model = tmp_path / "model.py"
    model.write_text("from torch import nn\nnet = nn.Linear(2, 3)\n")
    cutaway.show(str(model), input="1x2", isolated=False)
    assert issubclass(Path, Answering) and not issubclass(int, Answering)
