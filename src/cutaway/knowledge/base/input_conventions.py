"""What a network takes, where nobody says so: conventions for the names of forward's arguments.

Libraries of networks agree on the names of inputs, and on those of the settings that give their sizes. Each
rule below is one such name; it applies to every network that uses it, whichever library it comes from.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cutaway.core.record import dataclass
from cutaway.core.unknown import Exhausted, Undecidable, Unknown
from cutaway.knowledge.base import attribute

LENGTH = 128
"""Elements of a sequence, unless the network has fewer positions."""
SAMPLES = 16_000
"""Samples of a sound: one second, as most networks for speech hear it."""
SIDE = 224
"""Rows and columns of an image, where no setting gives them."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """An input that nobody has given: forward's argument, its shape and type, and where they come from.

    `number` is in each of its places; a mask lets everything through. `is_named` tells that libraries agree on the
    name; where it is not, the sizes alone are assumed, from a setting.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    why: str
    number: int | None = None
    is_named: bool = True


class Settings:
    """What is known of a network's sizes: the arguments it was made with, its configurations, its first convolution."""

    def __init__(self, sources: Sequence[Any], channels: int | None = None) -> None:
        self.sources = [*sources, *(part for source in sources for part in _parts(source))]
        self.channels = channels
        self.used: list[str] = []

    def number(self, *names: str) -> int | None:
        """Return the first of these settings that is a whole number above 0."""
        for source in self.sources:
            for name in names:
                value = _setting(source, name)
                if type(value) is int and value > 0:
                    self.used.append(name)
                    return value
        return None

    def sizes(self, *names: str) -> tuple[int, ...] | None:
        """Return the first of these settings that is a whole number or several."""
        for source in self.sources:
            for name in names:
                value = _setting(source, name)
                if isinstance(value, Mapping):
                    value = [value.get("height"), value.get("width")]
                found = tuple(value) if isinstance(value, (list, tuple)) else (value,)
                if found and all(type(size) is int and size > 0 for size in found):
                    self.used.append(name)
                    return found
        return None

    def origin(self) -> str:
        """Return the settings that were used since this was last asked, in words."""
        used, self.used = list(dict.fromkeys(self.used)), []
        return f"from its {' and '.join(used)}" if used else "no setting of the network gives its size"


def _setting(source: Any, name: str) -> Any:
    try:
        value = source.get(name) if isinstance(source, Mapping) else attribute.get(source, name, None)
    except (Exception, Undecidable, Exhausted):  # a configuration that computes what it is asked for, and can't
        return None
    return None if isinstance(value, Unknown) else value


def _parts(source: Any) -> Iterator[Any]:
    """Yield the configurations inside a configuration, those of an image or a sound among them."""
    inside = source if isinstance(source, Mapping) else getattr(source, "__dict__", {})
    for name, value in list(inside.items()):
        if isinstance(name, str) and (name.endswith("_config") or name in ("encoder", "decoder")):
            if isinstance(value, Mapping) or hasattr(value, "__dict__"):
                yield value
                yield from _parts(value)


_CAPTION = 77
Rule = Callable[[Settings], tuple[tuple[int, ...], str] | None]
"""Gives shape and type, or None where the settings do not say enough."""
_POSITIONS = "max_position_embeddings n_positions max_seq_len max_seq_length max_sequence_length block_size".split()
_IMAGE = "img_size image_size input_size input_resolution sample_size".split()
_CHANNELS = "in_chans num_channels in_channels input_channels num_input_channels".split()


def _length(settings: Settings) -> int:
    positions = settings.number(*_POSITIONS)
    return LENGTH if positions is None or positions >= 2 * LENGTH else max(1, positions // 2)


def _tokens(settings: Settings) -> tuple[tuple[int, ...], str]:
    return (1, _length(settings)), "int64"


def _image(settings: Settings) -> tuple[tuple[int, ...], str]:
    found = settings.sizes(*_IMAGE) or (SIDE,)
    side = found if len(found) == 1 else found[-2:]
    named = settings.number(*_CHANNELS)
    channels = settings.channels or named or (found[0] if len(found) == 3 else 3)
    height, width = side if len(side) == 2 else (side[0], side[0])
    return (1, channels, height, width), "float32"


def _pixels(settings: Settings) -> tuple[tuple[int, ...], str]:
    shape, dtype = _image(settings)
    frames = settings.number("num_frames")
    return ((1, frames, *shape[1:]) if frames else shape), dtype


def _sound(settings: Settings) -> tuple[tuple[int, ...], str]:
    bins, length = settings.number("num_mel_bins"), settings.number("max_length")
    if bins and length and settings.number("patch_size"):
        return (1, length, bins), "float32"
    channels = settings.number("audio_channels")
    return ((1, channels, SAMPLES) if channels else (1, SAMPLES)), "float32"


def _spectrum(settings: Settings) -> tuple[tuple[int, ...], str]:
    bins, positions = settings.number("num_mel_bins", "n_mels"), settings.number("max_source_positions")
    if bins and positions and not settings.number("input_feat_per_channel"):
        return (1, bins, 2 * positions), "float32"
    bins = settings.number("input_feat_per_channel", "feature_projection_input_dim", "num_mel_bins", "feature_size")
    return (1, LENGTH, bins or 80), "float32"


def _condition(settings: Settings) -> tuple[tuple[int, ...], str]:
    width = settings.number("encoder_hid_dim", "cross_attention_dim", "joint_attention_dim", "caption_channels")
    return (1, _CAPTION, width or 768), "float32"


def _hidden(settings: Settings) -> tuple[tuple[int, ...], str] | None:
    if settings.sizes("sample_size") is not None:
        return _image(settings)
    width = settings.number("hidden_size", "in_channels")
    return None if width is None else ((1, _length(settings), width), "float32")


def _series(settings: Settings) -> tuple[tuple[int, ...], str] | None:
    length, channels = settings.number("context_length"), settings.number("num_input_channels")
    return None if length is None or channels is None else ((1, length, channels), "float32")


def _pooled(settings: Settings) -> tuple[tuple[int, ...], str]:
    return (1, settings.number("pooled_projection_dim") or 768), "float32"


_PRIMARY: dict[str, Rule] = {
    "input_ids": _tokens,
    "decoder_input_ids": _tokens,
    "pixel_values": _pixels,
    "input_values": _sound,
    "input_features": _spectrum,
    "sample": _image,
    "hidden_states": _hidden,
    "past_values": _series,
}
"""Names of what a network computes from."""

_WITH: dict[str, Rule] = {
    "attention_mask": _tokens,
    "token_type_ids": _tokens,
    "position_ids": _tokens,
}
"""Names of what goes with it; given only where forward insists on it."""

_CONDITIONS: dict[str, Rule] = {
    "timestep": lambda _: ((1,), "int64"),
    "class_labels": lambda _: ((1,), "int64"),
    "encoder_hidden_states": _condition,
    "pooled_projections": _pooled,
    "img_ids": lambda settings: ((_length(settings), 3), "float32"),
    "txt_ids": lambda _: ((_CAPTION, 3), "float32"),
}
"""Names of what a network that makes images is conditioned on; tried last."""


def assumed(
    parameters: Mapping[str, inspect.Parameter], settings: Settings, main: Any, annotations: Mapping[str, str]
) -> list[list[Assumed]]:
    """Return the inputs to try, the likeliest first; nothing where no convention applies.

    Args:
        parameters: forward's.
        settings: what is known of the network's sizes.
        main: the name of the argument that the network itself calls its main one, if it says so.
        annotations: the annotations of forward's arguments, as strings.
    """
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = {name: p for name, p in parameters.items() if p.kind not in kinds}
    required = [name for name, p in named.items() if p.default is p.empty]
    made = _by_convention(named, required, settings, annotations)
    if any(name not in made for name in required):
        return []
    primary = [name for name in named if name in _PRIMARY]
    first = [name for name in dict.fromkeys([*required, main, *primary]) if name in made]
    least = required or ([main] if main in made else first[:1])
    conditions = [name for name in named if name in _CONDITIONS]
    tries = [least, [*least, "decoder_input_ids"], [*least, *primary], [*least, *conditions]]
    if settings_say_two_sided(settings):
        tries.insert(0, tries.pop(1))
    chosen = [tuple(name for name in named if name in names and name in made) for names in tries]
    return [[made[name] for name in names] for names in dict.fromkeys(chosen) if names]


def _by_convention(
    names: Iterable[str], required: Sequence[str], settings: Settings, annotations: Mapping[str, str]
) -> dict[str, Assumed]:
    """Return the inputs for those of forward's arguments to which a convention applies."""
    inputs: dict[str, Assumed] = {}
    for name in names:
        by_name = _PRIMARY.get(name) or _WITH.get(name) or _CONDITIONS.get(name)
        rule = by_name or _by_annotation(name, required, settings, annotations)
        settings.used.clear()
        shape_and_type = None if rule is None else rule(settings)
        if shape_and_type is not None:
            number = 1 if name.endswith("_mask") else None
            inputs[name] = Assumed(name, *shape_and_type, settings.origin(), number, by_name is not None)
    return inputs


def settings_say_two_sided(settings: Settings) -> bool:
    """Tell whether a configuration calls its network an encoder and a decoder."""
    return any(_setting(source, "is_encoder_decoder") is True for source in settings.sources)


def _by_annotation(
    name: str, required: Sequence[str], settings: Settings, annotations: Mapping[str, str]
) -> Rule | None:
    """Return the rule for an argument of any name: by its type, or because the network is one for images."""
    if name not in required:
        return None
    if "LongTensor" in annotations.get(name, "") and settings.number("vocab_size"):
        return _tokens
    sized = settings.sizes(*_IMAGE)
    is_image = sized is not None and (len(sized) > 1 or settings.channels is not None)
    return _image if is_image and name == required[0] else None
