"""Comparisons that depend on symbolic sizes: of sizes, of what contains them, of strings that they are written into."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from itertools import combinations
from typing import Any

from cutaway.core import session
from cutaway.core.condition import Term
from cutaway.core.loop.series import compared
from cutaway.core.pattern import pattern
from cutaway.core.size.dim import Dim, equal, symbols, undecided
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Unknown


class _Compared(dict[type, bool]):
    """Whether objects of a type may contain symbolic sizes, or be compared with one: found out once for each type."""

    def __missing__(self, kind: type) -> bool:
        plain = (Dim, str, tuple, list, dict, set, frozenset, float, complex)
        self[kind] = issubclass(kind, plain) or _is_dataclass(kind)
        return self[kind]


def _is_dataclass(kind: type) -> bool:
    return any("__dataclass_fields__" in vars(base) for base in type.__dict__["__mro__"].__get__(kind))


COMPARED = _Compared()
_DEEPEST, _MOST_PAIRS, _MOST_KEYS = 4, 1 << 12, 1 << 8
_BRACES = pattern(r"\{[^{}]*\}")
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def is_open(value: Any, depth: int = 0) -> bool:
    """Tell whether a value is a symbolic size, contains one, or is a string that one is written into."""
    kind = type(value)
    if kind is Dim:
        return True
    if kind is str:
        return is_open_string(value)
    if isinstance(value, (tuple, list, frozenset, set)) and depth < _DEEPEST:
        return not _are_closed(value) and any(is_open(item, depth + 1) for item in value)
    if kind is dict and depth < _DEEPEST:
        return not (_are_closed(value) and _are_closed(value.values())) and any(
            is_open(part, depth + 1) for pair in value.items() for part in pair
        )
    if depth < _DEEPEST and COMPARED[kind] and _is_dataclass(kind):
        return any(is_open(part, depth + 1) for part in getattr(value, "__dict__", {}).values())
    return False


def _are_closed(items: Iterable[Any]) -> bool:
    """Tell, without looking at each, whether none of some items can be open, by their types."""
    kinds = set(map(type, items))
    return kinds <= _CLOSED and (str not in kinds or not session.current().sizes_in_strings)


_CLOSED = {int, float, bool, str, bytes, type(None)}


def is_open_string(text: str) -> bool:
    """Tell whether a symbolic size is written into a string."""
    return "{" in text and not session.current().sizes_in_strings.isdisjoint(_BRACES.findall(text))


def unknown_of(value: Any) -> Unknown:
    """Return the unknown that stands for a symbolic size, or for something that contains one."""
    here = session.current()
    if type(value) is not Dim:
        return Unknown("it depends on a symbolic size", here.place())
    names = {symbol.name for symbol in symbols(value)}
    named = bool(names) and names <= here.arguments.keys() and not here.iterations
    term = Term(str(value), plain=True) if named else None
    return Unknown(f"it depends on the size {value}", here.place(), kind=int, term=term)


def undecided_comparison(sign: str, left: Any, right: Any) -> Unknown | bool:
    """Return the truth of an undecided comparison of sizes, with a term if it depends on arguments alone."""
    if type(left) is int or (type(right) is Dim and sign in (">", ">=")):
        left, right, sign = right, left, _SWAPPED.get(sign, sign)
    difference = left - right
    names = {symbol.name for symbol in symbols(difference)}
    here = session.current()
    if here.iterations:
        answer = compared(here.iterations, sign, left, right)
        if answer is not None:
            return answer
    relation = Relation(sign, left, right)
    if not names <= here.arguments.keys():
        return undecided(relation)
    if type(right) is int and isinstance(difference, Dim):
        constant = difference.terms.get((), 0)
        left, right = difference - constant, -constant
    other = right if type(right) is int else Unknown("", term=Term(str(right)))
    term = Term(str(left)).combined(sign, other)
    return Unknown(f"whether {relation} depends on arguments", about=relation, term=term)


def of_open_string(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return what a method of a string makes of one that sizes are written into: what no digit of them may change."""
    owner, name = function.__self__, function.__name__
    texts = [owner, *args, *kwargs.values()]
    if name == "join" and type(args[0]) is list and all(isinstance(text, str) for text in args[0]):
        return function(*args)
    if name not in _BY_LETTERS or any(isinstance(text, str) and _DIGITS & {*text} for text in texts[1:]):
        return unknown_of(owner)
    inside = [part for text in texts if isinstance(text, str) for part in _BRACES.findall(text)]
    marks = {part: chr(_FIRST_MARK + index) for index, part in enumerate(dict.fromkeys(inside))}

    def exchanged(value: Any, pairs: Iterable[tuple[str, str]]) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(exchanged(item, pairs) for item in value)
        if isinstance(value, str):
            for old, new in pairs:
                value = value.replace(old, new)
        return value

    there, back = list(marks.items()), [(mark, text) for text, mark in marks.items()]
    own, *given = (exchanged(text, there) for text in (owner, *args))
    return exchanged(getattr(str, name)(own, *given, **kwargs), back)


_BY_LETTERS = frozenset(
    """replace split rsplit partition rpartition strip lstrip rstrip lower upper startswith endswith removeprefix
    removesuffix count""".split()
)
_DIGITS = frozenset("0123456789-{}")
_FIRST_MARK = 0xE000


def compare_open(sign: str, left: Any, right: Any, plain: Callable[[Any, Any], Any]) -> Any:
    """Return a comparison of two values of which one is open."""
    if sign not in ("==", "!="):
        return Unknown("the order depends on a symbolic size", session.current().place(), kind=bool)
    answer = same(left, right, plain if sign == "==" else operator.eq)
    if type(answer) is Unknown:
        return answer
    return answer is (sign == "==")


def same(left: Any, right: Any, plain: Callable[[Any, Any], Any] = operator.eq) -> Any:
    """Tell whether two values are equal: True, False, or unknown where that depends on symbolic sizes."""
    if not (is_open(left) or is_open(right)):
        return plain(left, right)
    if isinstance(left, (int, Dim)) and isinstance(right, (int, Dim)):
        answer = equal(left, right)
        return undecided_comparison("==", left, right) if answer is None else answer
    if isinstance(left, str) and isinstance(right, str):
        return _same_strings(left, right)
    for kind in (tuple, list):
        if isinstance(left, kind) and isinstance(right, kind):
            return _all_same(zip(left, right)) if len(left) == len(right) else False
    if isinstance(left, (float, complex)) or isinstance(right, (float, complex)):
        return unknown_of(left if type(left) is Dim else right)
    if type(left) is type(right):  # sets and dicts
        return True if left == right else unknown_of(left)
    return plain(left, right)


def _all_same(pairs: Iterable[tuple[Any, Any]]) -> Any:
    answers = [same(one, other) for one, other in pairs]
    open_answers = [answer for answer in answers if type(answer) is Unknown]
    if any(type(answer) is not Unknown and not answer for answer in answers):
        return False
    if not open_answers:
        return True
    return open_answers[0] if len(open_answers) == 1 else unknown_of(answers)


def _same_strings(left: str, right: str) -> Any:
    if left == right:
        return True
    if is_open_string(left) != is_open_string(right):
        form, text = (left, right) if is_open_string(left) else (right, left)
        first, *_, last = _BRACES.split(form)
        return unknown_of(form) if text.startswith(first) and text.endswith(last) else False
    return unknown_of(left)


def found_in(item: Any, container: Iterable[Any]) -> Any:
    """Tell whether an item is among others: True, False, or unknown where that depends on symbolic sizes."""
    answers = [same(item, other) for other in container]
    if any(answer is True for answer in answers):
        return True
    return next((answer for answer in answers if type(answer) is Unknown), False)


def may_match_openly(item: Any, container: Collection[Any]) -> bool:
    """Tell whether an item, or one of others that might be equal to it, depends on a symbolic size."""
    kind = type(item)
    if kind is str:
        return bool(session.current().sizes_in_strings) and (
            is_open_string(item) or any(type(other) is str and is_open_string(other) for other in container)
        )
    if kind is int or kind is float:
        is_searched = isinstance(container, (list, tuple)) or len(container) <= _MOST_KEYS
        return is_searched and any(type(other) is Dim for other in container)
    if kind is Dim:
        return True
    return isinstance(item, (tuple, list, frozenset)) and (is_open(item) or any(map(is_open, container)))


def why_not_found(key: Any, keys: Collection[Any]) -> Unknown | None:
    """Return why a search for a key has no certain result; None where it has."""
    if not may_match_openly(key, keys):
        return None
    return _why_open(key, [other for other in keys if other is not key])


def why_not_stored(key: Any, keys: Collection[Any]) -> Unknown | None:
    """Return why it is not certain whether a key is one of those that a dict has; None where it is.

    Strings that sizes are written into count as distinct: so are the names that a loop makes of its index.
    """
    kind = type(key)
    if kind is int:
        if len(keys) > _MOST_KEYS or not any(type(other) is Dim for other in keys):
            return None
    elif kind is not Dim and not (kind is tuple and is_open(key)):
        return None
    return _why_open(key, keys)


def _why_open(key: Any, others: Iterable[Any]) -> Unknown | None:
    return unknown_of(key) if any(type(same(key, other)) is Unknown for other in others) else None


def why_not_distinct(keys: Iterable[Any]) -> Unknown | None:
    """Return why it is not certain how many different keys there are; None where it is."""
    listed = list(keys)
    if not any(type(key) is Dim or (type(key) is tuple and is_open(key)) for key in listed):
        return None
    if len(listed) ** 2 > _MOST_PAIRS:
        return unknown_of(listed)
    is_uncertain = any(type(same(one, other)) is Unknown for one, other in combinations(listed, 2))
    return unknown_of(listed) if is_uncertain else None
