"""Example values for missing arguments, where symbols leave too much of a network open.

They are as small as networks of papers usually have them, and divide each other, so that heads split a width evenly.
"""

from __future__ import annotations

import re
from typing import Any

from cutaway.interp.symbolic.missing_arguments import OTHER, PLAIN, SEQUENCE, SIZE, kind_of

_SIZES = (
    (r"head|group|expert", 4),
    (r"layer|depth|block|stage|repeat|level|^n_?res|iter|steps|stack|cells|^n$|^num$", 2),
    (r"stride|dilation|padding|_id$|^idx|index|ndim", 1),
    (r"kernel|ksize|^k$|n_dims|spatial", 3),
    (r"scale|factor|ratio|expan|multiplier|mult$|patch|reduction|^r$|rank|pool|down|up", 2),
    (r"class|label|action|categor|n_?out(put)?s?$|num_outputs", 10),
    (r"vocab|token|num_embeddings|words|n_?symbols|chars|voc", 1000),
    (r"len|length|window|block_size|context|seq|max_|frames|points|anchors|nodes", 16),
    (r"image|img|resolution|height|width$|crop|board", 64),
)
_USUAL_SIZE = 64
_NAMES_OF_SIZES = re.compile(r"channels$|size$|dim$|^num_|^n_|heads|units|filters|groups|d_model")
_RATES = re.compile(r"drop|prob|rate|momentum|slope|alpha|beta|gamma|^p$|std|sigma|temperature|eps")


def example(value: Any, name: str) -> Any:
    """Return an example of an argument of a class or function; None where there is none for its kind."""
    kind = kind_of(value, name)
    if kind == SIZE or (kind == OTHER and _NAMES_OF_SIZES.search(name)):
        return _size(name)
    if kind == PLAIN:
        return 0.1 if _RATES.search(name.lower()) else None
    if kind == SEQUENCE:
        return [_size(name.removesuffix("s"))] * 2
    return None


def _size(name: str) -> int:
    return next((size for pattern, size in _SIZES if re.search(pattern, name.lower())), _USUAL_SIZE)
