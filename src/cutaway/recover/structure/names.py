"""Names in the code: identifiers that are made from what a file calls things."""

from __future__ import annotations

import keyword
import re

_RESERVED = {
    "self", "nn", "F", "torch", "Tensor", "forward", "training", "type", "half", "float", "double", "train", "eval",
    "modules", "children", "parameters", "buffers", "apply", "to", "cpu", "cuda", "add_module", "register_buffer", "load",
    "state_dict", "named_modules", "zero_grad", "share_memory", "range", "super", "int", "bool", "min", "max", "len",
    "bfloat16", "compile", "call_super_init", "dump_patches", "T_destination", "print", "input", "list", "tuple",
}  # fmt: skip
_OTHER = re.compile(r"\W+", re.ASCII)
_TRAILING = re.compile(r"(_?\d+)+$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"0|[1-9]\d{0,5}", re.ASCII)
_LONGEST = 40


def identifier(text: str, default: str = "module") -> str:
    """Return an identifier for what a file calls something."""
    word = _OTHER.sub("_", text).strip("_")[:_LONGEST].rstrip("_") or default
    if word[0].isdigit():
        word = f"{default}_{word}"
    return f"{word}_" if keyword.iskeyword(word) or keyword.issoftkeyword(word) or word in _RESERVED else word


def plain_number(name: str) -> str:
    """Return the name of a module; one of digits that Python writes in another way becomes a word."""
    return identifier(name) if name.isdigit() and not _NUMBER.fullmatch(name) else name


def snake(word: str) -> str:
    """Return a name in lower case, with its words apart: `TensorListStack` is `tensor_list_stack`."""
    return _HUMP.sub("_", word).lower()


def class_name(text: str, default: str = "Block", numbered: bool = False) -> str:
    """Return the name of a class for what a file calls something: `encoder_layer_3` is an `EncoderLayer`."""
    stem = _OTHER.sub("_", text).strip("_")
    stem = stem if numbered else _TRAILING.sub("", stem)
    words = [word for word in stem.split("_") if word]
    name = "".join(word[0].upper() + word[1:] for word in words)[:_LONGEST]
    if not name or not name[0].isalpha() or not name.isascii():
        return default
    return f"{name}_" if keyword.iskeyword(name) or name in ("Tensor", "F") else name


def unused(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number where it has to be, and take it."""
    chosen, number = name, 2
    while chosen in taken:
        chosen = f"{name}{'_' if name[-1].isdigit() else ''}{number}"
        number += 1
    taken.add(chosen)
    return chosen
