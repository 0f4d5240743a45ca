"""Images, sound and strings in files, and what is cut out of them."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, floordiv, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reduce import reduced


@rule("EncodeJpeg", "EncodePng", "EncodeJpegVariableQuality", "EncodeWav", "StringFormat", "ShardedFilename")
def encoded(call: Call) -> Sequence[Out]:
    """Return a string for each image, or for all inputs."""
    batch = call.shape(0)[:-3] if call.name == "EncodePng" else ()
    return [Out(batch, "string")]


@rule("ReadFile", "DecodeCompressed", "UnicodeScript", "SerializeTensor")
def strings(call: Call) -> Sequence[Out]:
    """Return something for each string."""
    if call.name == "SerializeTensor":
        return [Out((), "string")]
    return [Out(call.value(0).shape, "int32" if call.name == "UnicodeScript" else "string")]


@rule("MatchingFiles", "DecodeGif", "ExtractJpegShape")
def opened(call: Call) -> Sequence[Out]:
    """Return what the data decides the size of."""
    if call.name == "ExtractJpegShape":
        return [Out((3,), call.node.type("output_type") or "int32")]
    if call.name == "DecodeGif":
        return [Out((unknown_size(), unknown_size(), unknown_size(), 3), "uint8")]
    return [Out((unknown_size(),), "string")]


@rule("DecodeRaw", "DecodePaddedRaw")
def raw(call: Call) -> Sequence[Out]:
    """Return the numbers in each string."""
    return [Out((*call.shape(0), unknown_size()), call.node.type("out_type"))]


@rule("DecodeCSV")
def columns(call: Call) -> Sequence[Out]:
    """Return a tensor for each column."""
    return [Out(call.value(0).shape, kind) for kind in call.node.types("OUT_TYPE")]


@rule("DecodeWav")
def sound(call: Call) -> Sequence[Out]:
    """Return samples of each channel, and their rate."""
    channels, samples = call.node.integer("desired_channels", -1), call.node.integer("desired_samples", -1)
    shape = (samples if samples >= 0 else unknown_size(), channels if channels >= 0 else unknown_size())
    return [Out(shape, "float32"), Out((), "int32")]


@rule("AudioSpectrogram")
def spectrogram(call: Call) -> Sequence[Out]:
    """Return the spectrum of each window; a spectrum has as many parts as the next power of two takes."""
    samples = call.shape(0)
    window, stride = call.node.integer("window_size"), call.node.integer("stride")
    if len(samples) != 2 or window < 1 or stride < 1:
        raise Open("an input has another number of dimensions")
    frames: Size = floordiv(samples[0] - window, stride) + 1
    if type(samples[0]) is int and samples[0] < window:
        frames = 0
    return [Out((samples[1], frames, (1 << (window - 1).bit_length()) // 2 + 1), "float32")]


@rule("Mfcc")
def coefficients(call: Call) -> Sequence[Out]:
    """Return coefficients of each window."""
    return [Out((*call.shape(0)[:2], call.node.integer("dct_coefficient_count", 13)), "float32")]


@rule("Substr")
def part(call: Call) -> Sequence[Out]:
    """Cut a part out of each string."""
    return [Out(broadcast(call.name, call.shape(0), call.shape(1)), "string")]


@rule("ReduceJoin")
def joined(call: Call) -> Sequence[Out]:
    """Join strings along axes."""
    rank = len(call.shape(0))
    over = sorted({call.within(axis, rank) for axis in call.whole(1)})
    return [Out(reduced(call.shape(0), over, call.node.flag("keep_dims")), "string")]


@rule("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def transformed(call: Call) -> Sequence[Out]:
    """Move the pixels of images; the size of the result is an input."""
    shape, size = call.shape(0), call.sizes(2)
    if len(shape) != 4 or len(size) != 2:
        raise Open("an input has another number of dimensions")
    return [Out((shape[0], *size, shape[3]), call.value(0).dtype)]


@rule("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2", "StatelessSampleDistortedBoundingBox")
def box(call: Call) -> Sequence[Out]:
    """Choose a part of an image: where it begins, its size, and the box."""
    kind = call.value(0).dtype
    return [Out((3,), kind), Out((3,), kind), Out((1, 1, 4), "float32")]


@rule("ExtractGlimpse", "ExtractGlimpseV2")
def glimpse(call: Call) -> Sequence[Out]:
    """Cut a window out of each image."""
    shape, size = call.shape(0), call.sizes(1)
    if len(shape) != 4 or len(size) != 2:
        raise Open("an input has another number of dimensions")
    return [Out((shape[0], *size, shape[3]), "float32")]
