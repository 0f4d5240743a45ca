"""Which operations of a graph call functions, hold variables, pass values on, or return nothing."""

from __future__ import annotations

import re

CALL_NAME = re.compile(r"(?:Stateful|TPU)?PartitionedCall(?:_\d+)?/")
"""What a call of a function adds to the names of what is in it."""
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
NEXT = ("NextIteration", "RefNextIteration")
