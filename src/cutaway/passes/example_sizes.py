"""One concrete size for each name that is left open, so that a formula can be shown with a number beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.core.architecture import Allowed, Architecture, Quantity
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass, replace
from cutaway.core.size.dim import Dim, substitute, symbols
from cutaway.passes.substitute import names

IMAGE, LENGTH, BATCH, REPEATS = 224, 128, 1, 4
"""The sizes of examples: of an image's sides, of everything else, of a batch, and how often something is repeated."""

_MOST = 1 << 16
_DIVISIBLE = pattern(r"(\w+) is divisible by (\d+)")
_AT_LEAST = pattern(r"(\w+) >= (\d+)")
_BETWEEN = pattern(r"(\d+) <= (\w+) <= (\d+)")
_EQUAL = pattern(r"(\w+(?: = \w+)*) = (\d+)")
_SHOWN_FOR = "shown for "
_ALTERNATIVE = "; or "


@dataclass(frozen=True, slots=True)
class Limit:
    """What is required of a size: at least a number, at most another, and a multiple of a third."""

    least: int = 1
    multiple: int = 1
    most: int | None = None

    def nearest(self, size: int) -> int:
        """Return the smallest allowed size that is not below another, or the largest where there is none."""
        above = max(size, self.least)
        above += -above % self.multiple
        return above if self.most is None or above <= self.most else self.most - self.most % self.multiple


def open_sizes(architecture: Architecture) -> list[str]:
    """Return the names of sizes that have no number: those of the inputs first. Conditions are not among them."""
    of_inputs = [
        one.name
        for value in architecture.inputs
        for size in value.shape or ()
        if isinstance(size, Dim)
        for one in symbols(size)
    ]
    return list(dict.fromkeys(name for name in (*of_inputs, *sorted(names(architecture))) if name[:1] not in "[?"))


def limits(architecture: Architecture) -> dict[str, Limit]:
    """Return what the assumptions say about sizes: `H >= 63`, `W is divisible by 32`."""
    found: dict[str, Limit] = {}
    for note in architecture.assumptions:
        for name, number in _DIVISIBLE.findall(note.text):
            known = found.get(name, Limit())
            found[name] = replace(known, multiple=max(known.multiple, int(number)))
        for name, number in _AT_LEAST.findall(note.text):
            known = found.get(name, Limit())
            found[name] = replace(known, least=max(known.least, int(number)))
        if note.text.startswith(_SHOWN_FOR) and _ALTERNATIVE not in note.text:
            for name, least, most in _shown_for(note.text.removeprefix(_SHOWN_FOR)):
                found[name] = replace(found.get(name, Limit()), least=least, most=most)
    return found


def _shown_for(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the sizes that a network is shown for alone, each with its least and its largest number."""
    for least, name, most in _BETWEEN.findall(text):
        yield name, int(least), int(most)
    for equal, number in _EQUAL.findall(text):
        for name in equal.split(" = "):
            yield name, int(number), int(number)


def example_sizes(architecture: Architecture) -> dict[str, int]:
    """Return a size for each name: 1 for a batch, 224 for the sides of an image, 4 repeats, 128 otherwise.

    Where that is not allowed, it is the next larger one that is.
    """
    required = limits(architecture)
    allowed = (
        architecture.requires.alternatives[0] if architecture.requires and architecture.requires.alternatives else ()
    )
    accepted = {each.symbol: each for each in allowed}
    sizes: dict[str, int] = {}
    for name in open_sizes(architecture):
        wanted = required.get(name, Limit()).nearest(_usual(architecture, name))
        sizes[name] = _accepted(wanted, accepted.get(name))
    return sizes


def another_size(architecture: Architecture, name: str, size: int) -> int | None:
    """Return a size that is different from the example and allowed, for a hint: twice it, else half of it, else none."""
    alternatives = architecture.requires.alternatives if architecture.requires else ()
    accepted = {each.symbol: each for each in (alternatives[0] if alternatives else ())}.get(name)
    limit = limits(architecture).get(name, Limit())
    for other in (2 * size, size // 2):
        if other and limit.nearest(other) == other and (accepted is None or other in accepted):
            return other
    return None


def _usual(architecture: Architecture, name: str) -> int:
    for value in architecture.inputs:
        for at, size in enumerate(value.shape or ()):
            if isinstance(size, Dim) and name in {one.name for one in symbols(size)}:
                return BATCH if at == 0 else IMAGE if len(value.shape or ()) >= 4 else LENGTH
    repeats = (module.repeat for module in architecture.modules)
    counts = {one.name for repeat in repeats if isinstance(repeat, Dim) for one in symbols(repeat)}
    return REPEATS if name in counts else LENGTH


def _accepted(wanted: int, allowed: Allowed | None) -> int:
    """Return a size that a precondition allows: the one that is wanted, else the next larger, else the next smaller one."""
    if allowed is None or wanted in allowed:
        return wanted
    above = next((size for size in range(wanted, wanted + _MOST) if size in allowed), None)
    return next((size for size in range(wanted, 0, -1) if size in allowed), wanted) if above is None else above


def at(amount: Quantity, sizes: Mapping[str, int]) -> int | None:
    """Return what an amount comes to for some sizes; None where it is unknown, depends on more, or is not whole."""
    if not isinstance(amount, Dim):
        return amount
    try:
        number = substitute(amount, sizes)
    except ArithmeticError:
        return None
    return number if isinstance(number, int) else None
