"""Which operations of a graph call functions, hold variables, pass values on, or return nothing; names of their outputs."""

from __future__ import annotations

CALLS = {"PartitionedCall": "f", "StatefulPartitionedCall": "f", "TPUPartitionedCall": "f", "RemoteCall": "f"}
PASSED_ON = frozenset(
    "Identity EnsureShape PlaceholderWithDefault RefIdentity Exit RefExit NextIteration RefNextIteration LoopCond "
    "DisableCopyOnRead".split()
)
LISTS_PASSED_ON = frozenset(["IdentityN"])
VARIABLES = frozenset(["VariableV2", "Variable", "TemporaryVariable"])
HANDLES = frozenset(["VarHandleOp", "AutoReloadVariable"])
WITHOUT_RESULT = frozenset(
    """NoOp Assert Assign AssignAdd AssignSub AssignVariableOp AssignAddVariableOp AssignSubVariableOp SaveV2 Save
    MergeV2Checkpoints InitializeTable InitializeTableV2 InitializeTableFromTextFile InitializeTableFromTextFileV2
    LookupTableImport LookupTableImportV2 ApplyGradientDescent ResourceApplyAdam ScalarSummary HistogramSummary
    ImageSummary AudioSummary MergeSummary TensorSummary TensorSummaryV2 WriteSummary""".split()
)
OUTPUT_NAMES: dict[str, str] = {
    "TopK": "values indices", "TopKV2": "values indices", "Switch": "output_false output_true", "Merge": "output value_index",
    "FusedBatchNorm": "y batch_mean batch_variance reserve_space_1 reserve_space_2",
    "FusedBatchNormV2": "y batch_mean batch_variance reserve_space_1 reserve_space_2",
    "FusedBatchNormV3": "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3",
    "NonMaxSuppressionV4": "selected_indices valid_outputs",
    "NonMaxSuppressionV5": "selected_indices selected_scores valid_outputs",
    "CombinedNonMaxSuppression": "nmsed_boxes nmsed_scores nmsed_classes valid_detections",
    "MaxPoolWithArgmax": "output argmax", "Unique": "y idx", "UniqueV2": "y idx", "UniqueWithCounts": "y idx count",
    "TensorListPopBack": "output_handle tensor", "StringSplitV2": "indices values shape",
    "StringSplit": "indices values shape", "StatelessRandomGetKeyCounter": "key counter", "TensorArrayV3": "handle flow",
    "TensorArrayV2": "handle", "Qr": "q r", "Svd": "s u v", "SoftmaxCrossEntropyWithLogits": "loss backprop",
    "SparseSoftmaxCrossEntropyWithLogits": "loss backprop", "BroadcastGradientArgs": "r0 r1",
    "SparseFillEmptyRows": "output_indices output_values empty_row_indicator reverse_index_map",
    "QuantizeV2": "output output_min output_max",
}  # fmt: skip
"""Names of the outputs of operations that have several, in order."""
NEXT = ("NextIteration", "RefNextIteration")
SINGLE = frozenset(CALLS) | frozenset(
    "Unpack Split SplitV ShapeN IdentityN If StatelessIf While StatelessWhile Case".split()
)
COUNTED = frozenset(
    """Where NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 Unique UniqueV2
    UniqueWithCounts StringSplit StringSplitV2""".split()
)
"""Operations of which the data decide how many elements they return: the number gets a name."""
