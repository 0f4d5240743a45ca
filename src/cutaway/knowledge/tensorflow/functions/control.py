"""Conditions, loops and functions over elements, as operations of a graph."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import equal
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.op import tensors
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert, new
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure


def _alike(left: Any, right: Any) -> bool:
    if isinstance(left._shape, Unknown) or isinstance(right._shape, Unknown) or len(left._shape) != len(right._shape):
        return False
    return all(equal(a, b) is True for a, b in zip(left._shape, right._shape))


@row("tensorflow.cond", "tensorflow.compat.v1.cond")
def cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, *_args: Any, fn1: Any = None, fn2: Any = None, **_k: Any
) -> Any:
    """Follow both ways where it can't be decided which is taken; they must give the same shapes."""
    yes, no = true_fn or fn1, false_fn or fn2
    if isinstance(pred, bool):
        return yes() if pred else no()
    first, second = yes(), no()
    ours, theirs = tensors(first), tensors(second)
    if len(ours) != len(theirs):
        return Unknown("what a condition gives depends on numbers")
    pairs = iter(zip(ours, theirs))

    def either(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        left, right = next(pairs)
        return left if _alike(left, right) else new(Unknown("the shape depends on a condition"), left._dtype)

    return map_structure(either, first)


@row("tensorflow.case", "tensorflow.compat.v1.case")
def case(pred_fn_pairs: Any, default: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    functions = [function for _, function in pairs] + ([default] if default is not None else [])
    made = functions[0]()
    for function in functions[1:]:
        made = cond(None, lambda made=made: made, function)
    return made


@row("tensorflow.while_loop", "tensorflow.compat.v1.while_loop")
def while_loop(cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    """Follow the body once; what comes out as it went in stays, and the shape of anything else is unknown."""
    started = map_structure(convert, loop_vars)
    parts = list(started) if isinstance(started, (list, tuple)) else [started]
    ended = body(*parts)
    ended = list(ended) if isinstance(ended, (list, tuple)) else [ended]
    made = []
    for before, after in zip(parts, ended):
        olds, news = flatten(before), flatten(after)
        same = len(olds) == len(news) and all(
            isinstance(a, Tensor) and isinstance(b, Tensor) and _alike(a, b) for a, b in zip(olds, news)
        )
        reason = Unknown("the shape depends on how often a loop runs")
        made.append(
            map_structure(lambda t, same=same, reason=reason: new(t._shape if same else reason, t._dtype), before)
        )
    return made if len(made) > 1 or isinstance(loop_vars, (list, tuple)) else made[0]


@row("tensorflow.map_fn", "tensorflow.vectorized_map")
def map_fn(fn: Any, elems: Any, dtype: Any = None, *_args: Any, fn_output_signature: Any = None, **_kwargs: Any) -> Any:
    """Follow a function for one element: all others have the same shape."""
    given = map_structure(convert, elems)
    for tensor in flatten(given):
        if isinstance(tensor._shape, Unknown):
            raise Undecidable(tensor._shape)
    count = flatten(given)[0]._shape[0]
    made = fn(map_structure(lambda t: new(t._shape[1:], t._dtype), given))
    return map_structure(lambda t: new((count, *convert(t)._shape), convert(t)._dtype), made)


@row("tensorflow.scan", "tensorflow.foldl", "tensorflow.foldr")
def scan(fn: Any, elems: Any, initializer: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    given = map_structure(convert, elems)
    count = flatten(given)[0]._shape[0]
    element = map_structure(lambda t: new(t._shape[1:], t._dtype), given)
    made = fn(element if initializer is None else map_structure(convert, initializer), element)
    return map_structure(lambda t: new((count, *convert(t)._shape), convert(t)._dtype), made)


@row("tensorflow.py_func", "tensorflow.numpy_function", "tensorflow.py_function")
def py_function(func: Any = None, inp: Any = None, Tout: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    """Call nothing: what a function of Python's gives has a type, and no shape that anybody knows."""
    unknown = Unknown("what a function of Python's gives in a graph has no known shape")
    if isinstance(Tout, (list, tuple)):
        return [new(unknown, kind) for kind in Tout]
    return new(unknown, Tout)
