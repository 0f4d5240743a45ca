"""What the condition of a loop compares, and names of nodes in references to tensors."""

from __future__ import annotations

from cutaway.formats.graph_def.messages import Function


def node_of(reference: str) -> str:
    """Return the name of the node that makes a tensor."""
    return reference.lstrip("^").partition(":")[0]


def comparisons(function: Function) -> list[tuple[str, str]]:
    """Return the pairs of which a loop's condition requires the first to be less."""
    nodes = {node.name: node for node in function.nodes}
    waiting = [node_of(function.returns.get(function.outputs[0], ""))] if function.outputs else []
    found: list[tuple[str, str]] = []
    steps = 0
    while waiting:
        steps += 1
        node = nodes.get(waiting.pop())
        if node is None or steps > 100:
            return []
        inputs = [node_of(each) for each in node.inputs if not each.startswith("^")]
        if node.op in ("Identity", "LogicalAnd"):
            waiting += inputs
        elif node.op == "Less" and len(inputs) == 2:
            found.append((inputs[0], inputs[1]))
        else:
            return []
    return found
