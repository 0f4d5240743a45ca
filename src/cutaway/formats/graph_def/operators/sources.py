"""Operations that make tensors from nothing, from strings, tables and lists, or whose result the data decides."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.size.dim import Size, is_known, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.formats.graph_def.value import DECLARED, Shape, Value, told


@rule("LinSpace")
def spaced(call: Call) -> Sequence[Out]:
    """Divide an interval."""
    return [Out((call.sizes(2)[0],), call.value(0).dtype)]


@rule("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3")
def suppression(_call: Call) -> Sequence[Out]:
    """Choose boxes: how many depends on the data."""
    return [Out((unknown_size(),), "int32")]


@rule("NonMaxSuppressionV4", "NonMaxSuppressionV5")
def suppression_with_scores(call: Call) -> Sequence[Out]:
    """Choose boxes: how many depends on the data, unless they are padded."""
    padded = call.node.flag("pad_to_max_output_size")
    size = call.sizes(2)[0] if padded else unknown_size()
    if call.name == "NonMaxSuppressionV4":
        return [Out((size,), "int32"), Out((), "int32")]
    return [Out((size,), "int32"), Out((size,), "float32"), Out((), "int32")]


@rule("CombinedNonMaxSuppression")
def combined_suppression(call: Call) -> Sequence[Out]:
    """Choose boxes of each class."""
    batch = call.shape(0)[0]
    total = call.sizes(3)[0]
    if not call.node.flag("pad_per_class"):
        return [
            Out((batch, total, 4), "float32"),
            Out((batch, total), "float32"),
            Out((batch, total), "float32"),
            Out((batch,), "int32"),
        ]
    raise Open("the boxes are padded for each class")


@rule("DecodeJpeg", "DecodePng", "DecodeImage", "DecodeBmp", "DecodeAndCropJpeg")
def decoded(call: Call) -> Sequence[Out]:
    """Decode an image: its size depends on the data."""
    channels = call.node.integer("channels")
    kind = call.node.type("dtype") or "uint8"
    if call.name == "DecodeImage" and call.node.flag("expand_animations", True):
        raise Open("it may be one image or several")
    return [Out((unknown_size(), unknown_size(), channels or unknown_size()), kind)]


@rule("StringSplit", "StringSplitV2")
def split_strings(_call: Call) -> Sequence[Out]:
    """Split strings: how many parts there are depends on the data."""
    return [Out((unknown_size(), 2), "int64"), Out((unknown_size(),), "string"), Out((2,), "int64")]


@rule("LookupTableFind", "LookupTableFindV2")
def lookup(call: Call) -> Sequence[Out]:
    """Look up each element; a table may hold a tensor for each key."""
    keys, table = call.value(1).shape, call.value(0).element
    inner = None if table is None else table.shape
    return [Out(None if keys is None or inner is None else (*keys, *inner), call.node.type("Tout"))]


@rule("LookupTableSize", "LookupTableSizeV2", "TensorListLength", "TensorArraySizeV3", "TensorArraySize")
def length(call: Call) -> Sequence[Out]:
    """Count entries."""
    count = None if "Table" in call.name or not call.inputs else call.inputs[-1].numbers
    return [Out((), "int64" if "Table" in call.name else "int32", count)]


_TABLES = """HashTable HashTableV2 MutableHashTable MutableHashTableV2 MutableDenseHashTable MutableDenseHashTableV2
MutableHashTableOfTensors MutableHashTableOfTensorsV2 AnonymousHashTable AnonymousMutableHashTable
AnonymousMutableHashTableOfTensors AnonymousMutableDenseHashTable""".split()


@rule(*_TABLES)
def table(call: Call) -> Sequence[Out]:
    """Return the handle of a table, with what it holds for each key."""
    there, shape = call.node.shape("value_shape")
    held = Value("", told(shape) if there else (), call.node.type("value_dtype"))
    return [Out((), "resource", element=held)]


@rule("VarIsInitializedOp")
def is_initialized(_call: Call) -> Sequence[Out]:
    """Tell whether a variable has a value."""
    return [Out((), "bool")]


# Lists of tensors


# The numbers of a list are how many tensors it holds.


@rule("TensorListReserve", "EmptyTensorList")
def new_list(call: Call) -> Sequence[Out]:
    """Make a list; the shape of its elements may be given."""
    count = call.value(1).numbers if call.name == "TensorListReserve" and len(call.inputs) > 1 else None
    return [Out((), "variant", count, element=_element(call, 0))]


def _element(call: Call, at: int) -> Value:
    numbers = call.value(at).numbers
    known = None
    if numbers is not None and not (len(numbers) == 1 and numbers[0] == -1 and call.value(at).shape == ()):
        known = tuple(unknown_size() if n is None or (type(n) is int and n < 0) else n for n in numbers)
    return Value(DECLARED, known, call.node.type("element_dtype"))


@rule("TensorListFromTensor")
def list_of(call: Call) -> Sequence[Out]:
    """Make a list of the slices of a tensor."""
    known = call.value(0).shape
    inner = None if known is None else known[1:]
    return [Out((), "variant", known[:1] or None if known else None, element=Value("", inner, call.value(0).dtype))]


@rule("TensorListSetItem", "TensorListPushBack", "TensorListResize", "TensorListScatterIntoExistingList")
def changed_list(call: Call) -> Sequence[Out]:
    """Put a tensor into a list."""
    held = call.value(0).element
    at = {"TensorListSetItem": 2, "TensorListPushBack": 1}.get(call.name)
    if at is not None and call.value(at).shape is not None:
        held = Value("", call.value(at).shape, call.value(at).dtype)
    is_fixed = call.name == "TensorListSetItem" and not call.node.flag("resize_if_index_out_of_bounds")
    length = call.value(0).numbers if is_fixed else None
    return [Out((), "variant", length, element=held)]


@rule("TensorListGetItem", "TensorListPopBack")
def list_item(call: Call) -> Sequence[Out]:
    """Take a tensor out of a list."""
    held = call.value(0).element
    known = _refined(call, None if held is None else held.shape, 2 if call.name == "TensorListGetItem" else 1)
    if known is None:
        raise Open("the shape of a list's elements is not known")
    item = Out(known, call.node.type("element_dtype") or call.value(0).dtype)
    return [Out((), "variant", element=held), item] if call.name == "TensorListPopBack" else [item]


def _refined(call: Call, held: Shape, at: int) -> Shape:
    """Return the shape of a list's elements, with what an operation says of it in place of what is not known."""
    said = _element(call, at).shape if at < len(call.inputs) else None
    if held is None or said is None or len(held) != len(said):
        return said if held is None else held
    return tuple(b if not is_known(a) and is_known(b) else a for a, b in zip(held, said))


@rule("TensorListStack", "TensorListGather", "TensorListConcatV2")
def stacked_list(call: Call) -> Sequence[Out]:
    """Join the tensors of a list."""
    held = call.value(0).element
    at = 2 if call.name == "TensorListGather" else 1
    known = _refined(call, None if held is None else held.shape, at)
    if known is None or call.name == "TensorListConcatV2":
        raise Open("the shape of a list's elements is not known")
    count: Size = call.node.integer("num_elements", -1)
    numbers = call.value(0).numbers
    if count == -1:
        length = numbers[0] if numbers is not None and len(numbers) == 1 else None
        count = unknown_size() if length is None or call.name == "TensorListGather" else length
    return [Out((count, *known), call.node.type("element_dtype"))]


@rule("TensorArrayV3", "TensorArray", "TensorArrayV2")
def new_array(call: Call) -> Sequence[Out]:
    """Make an array of tensors."""
    there, shape = call.node.shape("element_shape")
    element = Value(DECLARED, told(shape) if there else None, call.node.type("dtype"))
    count = None if call.node.flag("dynamic_size") or not call.inputs else call.value(0).numbers
    return [Out((2,), "resource", count, element=element), Out((), "float32", count, element=element)]


@rule("TensorArrayScatterV3", "TensorArrayWriteV3", "TensorArrayUnpack", "TensorArraySplitV3")
def write_array(call: Call) -> Sequence[Out]:
    """Write into an array of tensors."""
    at = 2
    known = call.value(at).shape
    inner = known if call.name == "TensorArrayWriteV3" else None if known is None else known[1:]
    return [Out((), "float32", call.inputs[-1].numbers, element=Value("", inner, call.value(at).dtype))]


@rule("TensorArrayConcatV3", "TensorArrayConcatV2", "TensorArrayConcat")
def joined_array(call: Call) -> Sequence[Out]:
    """Join the tensors of an array along their first dimension, which may be of any length in each."""
    held = call.inputs[-1].element or call.value(0).element
    there, stated = call.node.shape("element_shape_except0")
    inner = told(stated) if there else None
    if held is not None and held.shape:
        inner = held.shape[1:]
    numbers = call.inputs[-1].numbers
    count = numbers[0] if numbers is not None and len(numbers) == 1 and numbers[0] is not None else unknown_size()
    value = None if inner is None else (unknown_size(), *inner)
    return [Out(value, call.node.type("dtype")), Out((count,), "int64")]


@rule("TensorArrayGradV3", "TensorArrayGradV2", "TensorArrayGradWithShape")
def array_gradient(call: Call) -> Sequence[Out]:
    """Make an array for the gradients of the tensors of another."""
    held, count = call.value(0).element, call.inputs[-1].numbers
    if call.name == "TensorArrayGradWithShape":
        held = None
    return [Out((2,), "resource", count, element=held), Out((), "float32", count, element=held)]


@rule("TensorArrayReadV3", "TensorArrayGatherV3")
def read_array(call: Call) -> Sequence[Out]:
    """Read from an array of tensors; what flows in last is the newest state of it."""
    held = call.inputs[-1].element or call.value(0).element
    kind = call.node.type("dtype")
    there, shape = call.node.shape("element_shape")
    known = held.shape if held is not None and held.shape is not None else told(shape) if there else None
    if known is None:
        raise Open("the shape of an array's elements is not known")
    if call.name == "TensorArrayReadV3":
        return [Out(known, kind)]
    places = call.value(1).shape
    return [Out((places[0] if places else unknown_size(), *known), kind)]
