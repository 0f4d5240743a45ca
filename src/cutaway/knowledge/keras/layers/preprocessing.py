"""Layers that prepare images, categories and texts."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.state import snake_case, standardize_data_format
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.dtypes import DTYPES
from cutaway.knowledge.keras.tensors.op import Out, op

ops = KnownModule("keras.ops")
_IMAGES = "preprocessing.image_preprocessing"


@layer(home=f"{_IMAGES}.resizing")
class Resizing(Layer):
    """Gives images another size."""

    def __init__(
        self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
        fill_mode="constant", fill_value=0.0, antialias=False, data_format=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.height, self.width, self.interpolation = height, width, interpolation
        self.data_format = standardize_data_format(data_format)

    def call(self, data, training=True):
        made = ops.image.resize(data, (self.height, self.width), self.interpolation, data_format=self.data_format)
        return ops.cast(made, self.compute_dtype)


@layer(home=f"{_IMAGES}.center_crop")
class CenterCrop(Layer):
    """Cuts out the middle of images, and resizes those that are smaller."""

    def __init__(self, height, width, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.height, self.width = height, width
        self.data_format = standardize_data_format(data_format)

    def call(self, data, training=True):
        return ops.image.resize(data, (self.height, self.width), data_format=self.data_format)


@layer(home=f"{_IMAGES}.random_crop")
class RandomCrop(CenterCrop):
    """Cuts out a random part of images."""

    def __init__(self, height, width, seed=None, data_format=None, name=None, **kwargs):
        CenterCrop.__init__(self, height, width, data_format, name=name, **kwargs)


def _random(name: str) -> None:
    """Make a layer that changes images in training only."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        Layer.__init__(self, **{k: v for k, v in kwargs.items() if k in ("name", "dtype", "trainable", "input_shape")})

    def call(self: Any, data: Any, training: Any = False) -> Any:
        return data

    cls = type(
        name,
        (Layer,),
        {
            "__init__": init,
            "call": call,
            "SETTINGS_KEEP_SHAPES": True,
            "__doc__": "Changes images at random, in training only.",
        },
    )
    layer(home=f"{_IMAGES}.{snake_case(name)}")(cls)


for _name in """RandomFlip RandomRotation RandomZoom RandomTranslation RandomContrast RandomBrightness RandomShear
RandomSaturation RandomHue RandomGrayscale RandomColorJitter RandomColorDegeneration RandomSharpness
RandomPosterization RandomInvert RandomErasing RandomGaussianBlur RandomPerspective RandomElasticTransform AutoContrast
Equalization Solarization CutMix MixUp RandAugment AugMix""".split():
    _random(_name)


@op("keras.src.layers.preprocessing.encoded")
def encoded(x, size, mode, dtype):
    """Turn numbers or texts into vectors of a size."""
    x = known_rank(x)
    if mode == "int":
        return Out(x._shape, dtype)
    if mode == "one_hot":
        lead = x._shape[:-1] if x._shape and isinstance(x._shape[-1], int) and x._shape[-1] == 1 else x._shape
        return Out((*lead, size), dtype)
    return Out((*(x._shape[:-1] if len(x._shape) > 1 else ()), size), dtype)


class Lookup(Layer):
    """What layers share that turn categories into numbers."""

    def _size(self) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        kind = DTYPES["int64"] if self.output_mode == "int" else DTYPES["float32"]
        return encoded(inputs, self._size(), self.output_mode, kind)

    def adapt(self, data: Any, *_args: Any, **_kwargs: Any) -> None:
        """What data holds is not known."""

    def get_vocabulary(self, include_special_tokens: Any = True) -> Any:
        """Return the vocabulary that is given, with what stands for other words."""
        words = self.__dict__.get("vocabulary")
        if not isinstance(words, (list, tuple)) or self.num_oov_indices != 1:
            return Unknown("the vocabulary of a layer is not known")
        special = [] if self.mask_token is None else [self.mask_token]
        return [*special, self.__dict__.get("oov_token", "[UNK]"), *words] if include_special_tokens else list(words)

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        self.vocabulary = vocabulary


@layer(home="preprocessing.category_encoding")
class CategoryEncoding(Lookup):
    """Numbers of categories as vectors."""

    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs):
        super().__init__(**kwargs)
        self.num_tokens, self.output_mode = num_tokens, output_mode

    def _size(self):
        return self.num_tokens

    def call(self, inputs, count_weights=None):
        return encoded(inputs, self.num_tokens, self.output_mode, self.compute_dtype)


@layer(home="preprocessing.hashing")
class Hashing(Lookup):
    """Categories as numbers of bins."""

    def __init__(self, num_bins, mask_value=None, salt=None, output_mode="int", sparse=False, **kwargs):
        super().__init__(**kwargs)
        self.num_bins, self.output_mode = num_bins, output_mode

    def _size(self):
        return self.num_bins


@layer(home="preprocessing.hashed_crossing")
class HashedCrossing(Lookup):
    """Combinations of categories as numbers of bins."""

    def __init__(self, num_bins, output_mode="int", sparse=False, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.num_bins, self.output_mode = num_bins, output_mode

    def _size(self):
        return self.num_bins

    def call(self, inputs):
        kind = DTYPES["int64"] if self.output_mode == "int" else self.compute_dtype
        return encoded(inputs[0], self.num_bins, self.output_mode, kind)


@layer(home="preprocessing.discretization")
class Discretization(Lookup):
    """Numbers as those of the bins that they fall into."""

    def __init__(
        self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False, dtype=None, name=None
    ):
        super().__init__(name=name, dtype=dtype)
        self.bin_boundaries, self.num_bins, self.output_mode = bin_boundaries, num_bins, output_mode

    def _size(self):
        return self.num_bins if self.bin_boundaries is None else len(self.bin_boundaries) + 1

    def call(self, inputs):
        kind = DTYPES["int32"] if self.output_mode == "int" else self.compute_dtype
        return encoded(inputs, self._size(), self.output_mode, kind)


def _vocabulary(self: Any) -> Any:
    vocabulary = self.vocabulary
    if vocabulary is None or isinstance(vocabulary, (str, Unknown)):
        return self.max_tokens if self.pad_to_max_tokens and self.max_tokens else unknown_size()
    return len(vocabulary) + self.num_oov_indices + (0 if self.mask_token is None else 1)


@layer(home="preprocessing.string_lookup")
class StringLookup(Lookup):
    """Texts as numbers of a vocabulary."""

    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", vocabulary=None, idf_weights=None,
        invert=False, output_mode="int", pad_to_max_tokens=False, sparse=False, encoding="utf-8", name=None, salt=None,
        **kwargs,
    ):  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.max_tokens, self.num_oov_indices, self.mask_token = max_tokens, num_oov_indices, mask_token
        self.vocabulary, self.output_mode, self.pad_to_max_tokens = vocabulary, output_mode, pad_to_max_tokens

    _size = _vocabulary

    def vocabulary_size(self):
        return _vocabulary(self)


@layer(home="preprocessing.integer_lookup")
class IntegerLookup(Lookup):
    """Integers as numbers of a vocabulary."""

    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None,
        vocabulary_dtype="int64", idf_weights=None, invert=False, output_mode="int", sparse=False,
        pad_to_max_tokens=False, oov_method="floormod", salt=None, name=None, **kwargs,
    ):  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.max_tokens, self.num_oov_indices, self.mask_token = max_tokens, num_oov_indices, mask_token
        self.vocabulary, self.output_mode, self.pad_to_max_tokens = vocabulary, output_mode, pad_to_max_tokens

    _size = _vocabulary

    def vocabulary_size(self):
        return _vocabulary(self)


@op("keras.src.layers.preprocessing.vectorized")
def vectorized(x, length):
    """Split texts into the numbers of their words."""
    x = known_rank(x)
    lead = x._shape[:-1] if len(x._shape) > 1 else x._shape
    return Out((*lead, unknown_size() if length is None else length), DTYPES["int64"])


@layer(home="preprocessing.text_vectorization")
class TextVectorization(Lookup):
    """Texts as numbers of words."""

    def __init__(
        self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace", ngrams=None,
        output_mode="int", output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None, idf_weights=None,
        sparse=False, ragged=False, encoding="utf-8", name=None, **kwargs,
    ):  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.max_tokens, self.vocabulary, self.output_mode = max_tokens, vocabulary, output_mode
        self.output_sequence_length, self.pad_to_max_tokens = output_sequence_length, pad_to_max_tokens
        self.num_oov_indices, self.mask_token = 1, "" if output_mode == "int" else None
        if output_sequence_length is not None and output_mode != "int":
            raise ValueError("`output_sequence_length` must not be set if `output_mode` is not 'int'.")

    _size = _vocabulary

    def vocabulary_size(self):
        return _vocabulary(self)

    def call(self, inputs):
        if self.output_mode == "int":
            return vectorized(inputs, self.output_sequence_length)
        return encoded(vectorized(inputs, None), self._size(), self.output_mode, DTYPES["float32"])
