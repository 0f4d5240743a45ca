"""Names of the schema of TFLite: operators and element types by their numbers, and the settings of operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OPERATORS = (
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR "
    "FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC "
    "LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH "
    "SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER "
    "BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE "
    "BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM "
    "ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE "
    "TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK "
    "LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL "
    "FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL "
    "REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND "
    "HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM "
    "BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS "
    "HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE "
    "ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU "
    "DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 "
    "UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE "
    "STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE "
    "STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE "
    "STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG "
    "STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT "
    "STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT "
    "STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA STABLEHLO_DOT_GENERAL "
    "STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE "
    "STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE "
).split()
"""Operators by their numbers."""

CUSTOM = "CUSTOM"

DTYPES = (
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8", "float64",
    "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4", "bfloat16", "int2", "uint4",
)  # fmt: skip
"""Element types by their numbers."""

_STRIDES = {"padding": (0, "b", 0), "stride_w": (1, "i", 0), "stride_h": (2, "i", 0)}
_AXIS = {"axis": (0, "i", 0)}
_ACTIVATION = {"activation": (0, "b", 0)}
_POOL = {**_STRIDES, "filter_width": (3, "i", 0), "filter_height": (4, "i", 0), "activation": (5, "b", 0)}
_KEEP = {"keep_dims": (0, "?", False)}

OPTIONS: Mapping[str, Mapping[str, tuple[int, str, Any]]] = {
    "LEAKY_RELU": {"alpha": (0, "f", 0.0)},
    "GELU": {"approximate": (0, "?", False)},
    "SOFTMAX": {"beta": (0, "f", 0.0)},
    "RESIZE_BILINEAR": {"align_corners": (2, "?", False), "half_pixel_centers": (3, "?", False)},
    "RESIZE_NEAREST_NEIGHBOR": {"align_corners": (0, "?", False), "half_pixel_centers": (1, "?", False)},
    "MIRROR_PAD": {"mode": (0, "b", 0)},
    "CONV_2D": {
        **_STRIDES, "activation": (3, "b", 0), "dilation_w_factor": (4, "i", 1), "dilation_h_factor": (5, "i", 1),
    },
    "DEPTHWISE_CONV_2D": {
        **_STRIDES, "depth_multiplier": (3, "i", 0), "activation": (4, "b", 0), "dilation_w_factor": (5, "i", 1),
        "dilation_h_factor": (6, "i", 1),
    },
    "CONV_3D": {
        "padding": (0, "b", 0), "stride_d": (1, "i", 0), "stride_w": (2, "i", 0), "stride_h": (3, "i", 0),
        "activation": (4, "b", 0), "dilation_d_factor": (5, "i", 1), "dilation_w_factor": (6, "i", 1),
        "dilation_h_factor": (7, "i", 1),
    },
    "TRANSPOSE_CONV": {**_STRIDES, "activation": (3, "b", 0)},
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"), _POOL),
    "FULLY_CONNECTED": {"activation": (0, "b", 0), "weights_format": (1, "b", 0), "keep_num_dims": (2, "?", False)},
    "CONCATENATION": {**_AXIS, "activation": (1, "b", 0)},
    **dict.fromkeys(("ADD", "SUB", "MUL", "DIV"), _ACTIVATION),
    **dict.fromkeys(
        ("MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL"), _KEEP
    ),
    "SPLIT": {"num_splits": (0, "i", 0)},
    "SPLIT_V": {"num_splits": (0, "i", 0)},
    "STRIDED_SLICE": {
        "begin_mask": (0, "i", 0), "end_mask": (1, "i", 0), "ellipsis_mask": (2, "i", 0), "new_axis_mask": (3, "i", 0),
        "shrink_axis_mask": (4, "i", 0), "offset": (5, "?", False),
    },
    "GATHER": {**_AXIS, "batch_dims": (1, "i", 0)},
    "PACK": {"values_count": (0, "i", 0), "axis": (1, "i", 0)},
    "UNPACK": {"num": (0, "i", 0), "axis": (1, "i", 0)},
    "BATCH_MATMUL": {"adj_x": (0, "?", False), "adj_y": (1, "?", False)},
    "SPACE_TO_DEPTH": {"block_size": (0, "i", 0)},
    "DEPTH_TO_SPACE": {"block_size": (0, "i", 0)},
    "ONE_HOT": _AXIS,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": {"activation": (0, "b", 0), "time_major": (3, "?", False)},
    "UNIDIRECTIONAL_SEQUENCE_RNN": {"time_major": (0, "?", False), "activation": (1, "b", 0)},
    "IF": {"then": (0, "i", 0), "else": (1, "i", 0)},
    "WHILE": {"cond": (0, "i", 0), "body": (1, "i", 0)},
    "CALL": {"subgraph": (0, "I", 0)},
    "CALL_ONCE": {"init": (0, "i", 0)},
}  # fmt: skip
"""Operator -> its settings: the place in the table of its options, the code in `struct`, and the default."""

LISTS = {"RESHAPE": ("new_shape", 0), "SQUEEZE": ("squeeze_dims", 0)}
"""Operator -> a setting that is a list of whole numbers, and its place."""

GRAPHS = {"then", "else", "cond", "body", "subgraph", "init"}
"""Settings that are numbers of graphs."""
