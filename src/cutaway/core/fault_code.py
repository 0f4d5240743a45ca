"""The kinds of faults: a stable code for each, its family, and what documentation says about it."""

from __future__ import annotations

from enum import Enum


class Family(Enum):
    """What a fault is about; each family has a page in `docs/faults/`."""

    SHAPE = "shape"
    DTYPE = "dtype"
    ARGUMENT = "argument"
    INDEXING = "indexing"
    MODEL = "model"
    DATA = "data"
    RUN = "run"
    PROGRAM = "program"


class FaultCode(Enum):
    """A kind of fault. Its value is what reports and JSON show, and is not changed once it is released.

    `summary` is one line; `explanation` says why such a fault happens and how to fix it. The pages of `docs/faults/`
    contain both, word for word, with an example.
    """

    _value_: str
    family: Family
    summary: str
    explanation: str

    def __new__(cls, value: str, family: Family, summary: str, explanation: str) -> FaultCode:
        """Make a member that is looked up by its code alone: `FaultCode("shape-mismatch")`."""
        member = object.__new__(cls)
        member._value_ = value
        member.family, member.summary, member.explanation = family, summary, explanation
        return member

    # Shapes

    SHAPE_MISMATCH = (
        "shape-mismatch",
        Family.SHAPE,
        "Sizes that must fit each other do not.",
        "The last dimension of an input differs from the number of features that a layer was made for, operands do not "
        "broadcast, a reshape changes the number of elements, or a size is not divisible by a number of groups or heads. "
        "Often a layer is made for the output of another one, and that has changed since. The message names both sizes; "
        "trace back the one that you did not expect.",
    )
    WRONG_RANK = (
        "wrong-rank",
        Family.SHAPE,
        "A tensor has the wrong number of dimensions.",
        "An operation needs a certain number of dimensions, or as many as another tensor has. The usual causes are a "
        "missing batch or channel dimension and a missing or superfluous flatten. Add the dimension with `unsqueeze`, "
        "or remove it with `squeeze` or `flatten`.",
    )
    KERNEL_TOO_LARGE = (
        "kernel-too-large",
        Family.SHAPE,
        "The input of a convolution or pooling operation is smaller than its kernel.",
        "Each strided layer makes the image smaller, and at this layer it is too small for even one position of the "
        "kernel. Use larger inputs, fewer strided layers, a smaller kernel or some padding.",
    )
    PADDING_TOO_LARGE = (
        "padding-too-large",
        Family.SHAPE,
        "Padding or cropping is too large for the input.",
        "Reflecting or circular padding copies from the input, so it can't be larger than the input is. Cropping and "
        "negative padding remove more than there is. Use larger inputs or smaller amounts.",
    )
    EMPTY_REDUCTION = (
        "empty-reduction",
        Family.SHAPE,
        "A tensor without elements is reduced by an operation that needs at least one.",
        "The sum of nothing is 0, but the maximum of nothing is not defined, nor is its position. Look for the dimension "
        "of size 0: often a slice is empty, or a split takes everything.",
    )
    NOT_A_SCALAR = (
        "not-a-scalar",
        Family.SHAPE,
        "A tensor of several elements is converted to one number.",
        "`item()` needs exactly one element. Reduce the tensor first, or use `tolist()` to get all of its numbers.",
    )
    NEGATIVE_SIZE = (
        "negative-size",
        Family.SHAPE,
        "A tensor is created with a negative size.",
        "The size is usually computed, and a subtraction in it goes below 0 for these arguments. A weight created by a "
        "layer is a tensor as well.",
    )
    UNDEFINED_SIZE = (
        "undefined-size",
        Family.SHAPE,
        "A layer needs a size that its input leaves undefined.",
        "The shape of a weight follows from the input, so the dimension that it depends on can't be None. Give the size "
        "where the input is declared.",
    )

    # Element types

    DTYPE_MISMATCH = (
        "dtype-mismatch",
        Family.DTYPE,
        "Element types that must be the same differ.",
        "Two tensors of an operation, such as an input and a weight, have different element types, and the operation does "
        "not convert them. Convert one of them, with `to(other.dtype)` or a cast.",
    )
    UNSUPPORTED_DTYPE = (
        "unsupported-dtype",
        Family.DTYPE,
        "An operation does not accept the element type of a tensor.",
        "Examples are the mean of integers, an index that is not an integer, or class labels that are floating. Convert the "
        "tensor before the operation.",
    )

    # Arguments

    INVALID_ARGUMENT = (
        "invalid-argument",
        Family.ARGUMENT,
        "An argument has a value that is not allowed.",
        "The value has the right type, but it is out of the allowed range, is not one of the allowed names, or is a "
        "pattern or an equation that is malformed. The message says what is allowed.",
    )
    WRONG_TYPE = (
        "wrong-type",
        Family.ARGUMENT,
        "An argument is an object of the wrong type.",
        "A list is passed where a tensor is needed, or a float where an integer is needed. A division with `/` always "
        "gives a float: use `//` for sizes.",
    )
    ARGUMENT_LENGTH = (
        "argument-length",
        Family.ARGUMENT,
        "A tuple or list argument has the wrong number of elements.",
        "Kernel sizes, strides, paddings and the like need one number for each spatial dimension, or one for all of them; "
        "padding may need two for each.",
    )
    ARGUMENT_CONFLICT = (
        "argument-conflict",
        Family.ARGUMENT,
        "Two arguments can't be used together.",
        "Each of them is allowed by itself. Only one of them can be passed, or the value of one rules out that of the "
        "other.",
    )
    MISSING_ARGUMENT = (
        "missing-argument",
        Family.ARGUMENT,
        "An argument that is needed here is missing.",
        "The signature has a default for it, but at least one of several arguments has to be passed, or it is needed in "
        "combination with the others.",
    )
    UNKNOWN_ARGUMENT = (
        "unknown-argument",
        Family.ARGUMENT,
        "A keyword argument does not exist.",
        "The name is misspelt, or belongs to another layer or another version of the library.",
    )
    DIVISION_BY_ZERO = (
        "division-by-zero",
        Family.ARGUMENT,
        "A number is divided by zero.",
        "Dividing floating tensors by zero gives infinity; integers have no infinity, so dividing them raises an exception, "
        "and so does dividing Python's numbers. Check the divisor, or divide floating tensors.",
    )
    VALUE_OVERFLOW = (
        "value-overflow",
        Family.ARGUMENT,
        "A number does not fit into the element type of a tensor.",
        "The number is larger or smaller than the largest or smallest one of the type, such as -1e9 in a half precision "
        "mask. Use the limits of the type, or a wider type.",
    )

    # Indices and dimensions

    INDEX_OUT_OF_RANGE = (
        "index-out-of-range",
        Family.INDEXING,
        "An index is outside the range of its dimension.",
        "The dimension is shorter than expected, there are more indices than dimensions, or more elements are selected than "
        "there are. Valid indices of a dimension of size n, or of a list of n items, are -n to n - 1.",
    )
    DIMENSION_OUT_OF_RANGE = (
        "dimension-out-of-range",
        Family.INDEXING,
        "An argument names a dimension that the tensor does not have.",
        "A tensor of n dimensions has the dimensions 0 to n - 1, or -n to -1. The tensor often has fewer dimensions than "
        "expected, because the batch dimension is missing.",
    )
    DUPLICATE_DIMENSION = (
        "duplicate-dimension",
        Family.INDEXING,
        "An argument names a dimension twice.",
        "Each dimension can be reduced or moved once. A negative number and a positive one may be the same dimension: of "
        "three, 2 and -1 are.",
    )

    # Models and layers

    UNINITIALIZED = (
        "uninitialized",
        Family.MODEL,
        "A lazy parameter is used before it has a shape.",
        "Lazy layers take the shape of their weights from the first input. Until then the weights have no shape, and what "
        "needs one fails. Call the network once, or use the layers that take all sizes as arguments.",
    )
    GRAPH_DISCONNECTED = (
        "graph-disconnected",
        Family.MODEL,
        "The outputs of a functional model do not follow from its inputs.",
        "The path back from an output ends at a symbolic tensor that no layer makes and that is not among the inputs. Make "
        "it with `Input`, and pass it to the model with the other inputs.",
    )
    DUPLICATE_NAME = (
        "duplicate-name",
        Family.MODEL,
        "Two layers or variables have the same name.",
        "Names identify layers in a model and variables in a scope. Give each its own, or leave naming to the library.",
    )
    NO_SUCH_LAYER = (
        "no-such-layer",
        Family.MODEL,
        "A layer is looked up by a name or an index that the model does not have.",
        "Automatic names depend on how many layers of a class have been made before. Name the layers that you look up.",
    )
    WRONG_INPUT_COUNT = (
        "wrong-input-count",
        Family.MODEL,
        "A layer or a model is called with the wrong number of inputs.",
        "Models and merging layers take their inputs as one list. Pass as many as the model was made with.",
    )
    INVALID_CALL = (
        "invalid-call",
        Family.MODEL,
        "A module without a forward pass is called.",
        "The module only groups operations, each of which is a method of its own. Call that method.",
    )
    REMOVED_FUNCTION = (
        "removed-function",
        Family.MODEL,
        "A function is called that the library has removed.",
        "The name still exists, but calling it raises. The message names the replacement.",
    )

    # Data and training

    DIFFERENT_LENGTHS = (
        "different-lengths",
        Family.DATA,
        "Inputs and targets have different numbers of samples.",
        "The arrays of a data set are read side by side, so all of them need the same first dimension. The usual cause is a "
        "training set that is paired with the labels of the test set, or one of them being filtered.",
    )
    RAGGED_DATA = (
        "ragged-data",
        Family.DATA,
        "A nested list has rows of different lengths.",
        "A tensor is rectangular. Pad the rows to the same length first.",
    )
    ONE_VALUE_PER_CHANNEL = (
        "one-value-per-channel",
        Family.DATA,
        "A normalisation in training mode gets one value for each channel.",
        "The mean and the variance of a single value say nothing, so training is refused. Use a batch of at least two, "
        "drop the last incomplete batch, or switch to evaluation mode.",
    )
    SILENT_BROADCAST = (
        "silent-broadcast",
        Family.DATA,
        "Predictions and targets of a loss are broadcast against each other.",
        "A vector of n targets minus an n x 1 column of predictions is an n x n matrix: each target meets each "
        "prediction. It runs, but trains something else. Reshape one to the shape of the other.",
    )
    ALWAYS_EQUAL = (
        "always-equal",
        Family.DATA,
        "An accuracy compares values that are always equal.",
        "The position of the largest of one number is always 0, so the comparison always holds and the accuracy is always "
        "1. With one output for two classes, compare rounded probabilities instead.",
    )

    # Runs

    NO_INPUT_FITS = (
        "no-input-fits",
        Family.RUN,
        "No input exists that the network accepts.",
        "No input was given, and every shape that was tried fails, so the layers contradict each other. The message shows "
        "the input that gets furthest and the operation that it fails at.",
    )
    CHECK_FAILED = (
        "check-failed",
        Family.RUN,
        "A check that the program makes itself fails, or it raises an exception by itself.",
        "An assertion of the program does not hold, the program raises an exception by itself, or it calls a checking "
        "function of the library with a condition that is false. The message is the program's own.",
    )
    FORWARD_RAISES = (
        "forward-raises",
        Family.RUN,
        "The network raises an exception when it is run.",
        "With `--live` the forward pass is run by the framework itself, and this is what it raised. Without `--live`, the "
        "same fault usually has a code that says more.",
    )
    GRADIENT_MISUSE = (
        "gradient-misuse",
        Family.RUN,
        "Gradients are computed, or tensors that require them used, as PyTorch refuses it.",
        "A tensor that requires gradients can't be changed in place, or made an array, before it is detached. Gradients can "
        "be computed only of what depends on a tensor that requires them, and only once, unless the graph is retained.",
    )

    # The program itself

    UNDEFINED_NAME = (
        "undefined-name",
        Family.PROGRAM,
        "A name is used that nothing defines.",
        "The name is misspelt, it is not imported, it is a variable of another function, or the line that sets it has not "
        "run yet.",
    )
    NO_SUCH_ATTRIBUTE = (
        "no-such-attribute",
        Family.PROGRAM,
        "An object has no attribute of this name.",
        "The attribute is misspelt, nothing sets it on this path, or the object is of another type than expected. For "
        "classes of a framework this is said only of attributes that the named version does not have.",
    )
    NO_SUCH_NAME = (
        "no-such-name",
        Family.PROGRAM,
        "A module has no such name.",
        "The name is misspelt, or belongs to another module or another version of the library. The message states the "
        "version whose names are known in full.",
    )
    NOT_INITIALIZED = (
        "not-initialized",
        Family.PROGRAM,
        "A module gets parts before its base class is initialized.",
        "Parameters, buffers and submodules are registered when they are assigned, and `Module.__init__` makes the tables "
        "for that. Call `super().__init__()` first.",
    )
    WRONG_CALL = (
        "wrong-call",
        Family.PROGRAM,
        "A function is called with arguments that it does not take.",
        "There are too many arguments, too few, or one of an unknown name. The definition of the function has changed "
        "since, or the call belongs to another one.",
    )
    MISSING_KEY = (
        "missing-key",
        Family.PROGRAM,
        "A dict has no such key.",
        "The key is misspelt, or nothing has been stored under it. Use `get` where it may be absent.",
    )
    UNPACK_MISMATCH = (
        "unpack-mismatch",
        Family.PROGRAM,
        "A sequence has more or fewer items than there are names to unpack it to.",
        "What is unpacked returns another number of values than expected, such as a layer that returns its state beside "
        "its output.",
    )
