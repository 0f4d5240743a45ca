"""Whether weights of a file fit a network: which are missing, unexpected or of another size, and how names differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from cutaway.core.architecture import Architecture, Shape, Weight
from cutaway.core.record import dataclass
from cutaway.passes.compare import shape_text

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class WeightFit:
    """How a file of weights fits a network; `renaming` says what was done to the names of the file first."""

    renaming: str
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    resized: tuple[tuple[str, Shape, Shape], ...]
    matched: int

    @property
    def known(self) -> int:
        """How many weights of the file have a name of the network's."""
        return self.matched + len(self.resized)

    @property
    def fits(self) -> bool:
        """Whether all weights can be loaded, under the names that they have."""
        return not (self.missing or self.unexpected or self.resized or self.renaming)

    def lines(self) -> list[str]:
        """Say it in words."""
        if self.fits:
            return [f"the weights fit: all {self.matched} are there, with their sizes"]
        found = [f"{self.matched} weights fit"]
        if self.renaming:
            found.append(f"renaming: {self.renaming}")
        for words, names in (("missing in the file", self.missing), ("unexpected in the file", self.unexpected)):
            if names:
                more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                found.append(f"{words} ({len(names)}): {', '.join(names[:_SHOWN])}{more}")
        for name, wanted, stored in self.resized[:_SHOWN]:
            found.append(
                f"another size: {name} is {shape_text(wanted)} in the network, {shape_text(stored)} in the file"
            )
        if len(self.resized) > _SHOWN:
            found.append(f"another size: {len(self.resized) - _SHOWN} more")
        return found


def fit(network: Architecture, file: Architecture) -> WeightFit:
    """Compare a network with a file of weights, as `load_state_dict` would, but for a common change of names."""
    wanted = {weight.name: weight for weight in network.weights if weight.persistent}
    stored = {weight.name: weight for weight in file.weights}
    best = _compared(wanted, stored, "")
    for words, names in _renamings(wanted, stored):
        renamed = {names.get(name, name): weight for name, weight in stored.items()}
        if len(renamed) < len(stored):
            continue
        other = _compared(wanted, renamed, words)
        if (other.known, other.matched) > (best.known, best.matched):
            best = other
    return best


def _compared(wanted: Mapping[str, Weight], stored: Mapping[str, Weight], renaming: str) -> WeightFit:
    common = [name for name in wanted if name in stored]
    resized = tuple(
        (name, wanted[name].shape, stored[name].shape)
        for name in common
        if wanted[name].shape is not None and stored[name].shape not in (None, wanted[name].shape)
    )
    missing = tuple(name for name in wanted if name not in stored and wanted[name].tied_to not in stored)
    unexpected = tuple(name for name in stored if name not in wanted)
    return WeightFit(renaming, missing, unexpected, resized, len(common) - len(resized))


def _renamings(wanted: Mapping[str, Weight], stored: Mapping[str, Weight]) -> Iterable[tuple[str, dict[str, str]]]:
    """Yield likely changes of names: prefixes that wrappers add, parts that are called otherwise."""
    for prefix in _common_prefixes(stored):
        yield f"without {prefix!r}", {name: name.removeprefix(prefix) for name in stored}
    for prefix in _common_prefixes(wanted):
        yield f"with {prefix!r} before it", {name: prefix + name for name in stored}
    if any("_orig_mod." in name for name in stored):
        yield "without '_orig_mod.'", {name: name.replace("_orig_mod.", "") for name in stored}
    words = _renamed_words(wanted, stored)
    if words:
        told = ", ".join(f"{old} -> {new}" for old, new in words.items())
        yield told, {name: ".".join(words.get(part, part) for part in name.split(".")) for name in stored}


def _common_prefixes(names: Iterable[str]) -> list[str]:
    counts: Counter[str] = Counter()
    total = 0
    for name in names:
        total += 1
        parts = name.split(".")
        for depth in range(1, min(4, len(parts))):
            counts[".".join(parts[:depth]) + "."] += 1
    return [prefix for prefix, count in counts.items() if count * 2 > total]


def _renamed_words(wanted: Mapping[str, Weight], stored: Mapping[str, Weight]) -> dict[str, str]:
    """Return parts of names that are in the file only, with those that stand in the same places of the network."""
    ours = {part for name in wanted for part in name.split(".")}
    theirs = {part for name in stored for part in name.split(".")}
    gone = [name for name in stored if name not in wanted]
    places: dict[str, Counter[str]] = {}
    waiting: dict[tuple[str, ...], list[str]] = {}
    for name in wanted:
        if name not in stored:
            parts = name.split(".")
            for at in range(len(parts)):
                waiting.setdefault((*parts[:at], "", *parts[at + 1 :]), []).append(parts[at])
    for name in gone:
        parts = name.split(".")
        for at, part in enumerate(parts):
            if part in ours:
                continue
            for other in waiting.get((*parts[:at], "", *parts[at + 1 :]), ()):
                if other not in theirs:
                    places.setdefault(part, Counter())[other] += 1
    return {old: counts.most_common(1)[0][0] for old, counts in places.items()}
