"""What gradients are computed through: which tensors require them for certain, and which for certain do not.

Only while a program is checked is it followed (`Session.follows_gradients`), and only through functions that are listed
here. A tensor has a `_history` only where it is known; whatever may have changed it otherwise, such as an undecided branch
or an unknown function, ends the following.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.place import Place
from cutaway.core.session import UNKNOWN_CHANGES, Session
from cutaway.knowledge.torch.runtime.context import is_differentiating
from cutaway.knowledge.torch.tensor.tensor import DETACHED, Tensor


class Node:
    """A function that was called with tensors that require gradients, which backward frees if it saves some of them."""

    __slots__ = ("freed", "inputs", "saves")

    def __init__(self, inputs: tuple[Node, ...] = (), saves: bool = False) -> None:
        self.inputs = inputs
        self.saves = saves
        self.freed: Place | None = None


ROOT = Node()
"""The history of a tensor that is computed from none that requires gradients."""

# Their results require gradients if one of their arguments does, and they have no other inputs.
_SAVING = frozenset(
    """linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d relu sigmoid tanh softmax log_softmax leaky_relu gelu
    elu exp log pow sqrt matmul bmm mm mse_loss smooth_l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits l1_loss lstm gru rnn_tanh rnn_relu lstm_cell gru_cell batch_norm layer_norm embedding max_pool1d max_pool2d""".split()
)
_PLAIN = frozenset(
    """add sub mul div neg sum mean abs clamp view reshape permute transpose t squeeze unsqueeze flatten cat stack select
    expand repeat chunk split unbind contiguous clone dropout logsumexp adaptive_avg_pool1d adaptive_avg_pool2d
    avg_pool2d interpolate float double to cpu cuda type_as __getitem__ var std norm unflatten square sin cos where cumsum prod
    max min index_select gather einsum baddbmm addmm masked_fill hardtanh relu6 prelu silu selu softplus instance_norm
    group_norm conv_transpose3d avg_pool1d adaptive_max_pool2d pad one_hot scaled_dot_product_attention hstack vstack""".split()
)
_MAKING = frozenset(
    """randn rand randint zeros ones full tensor arange linspace eye from_numpy detach drawn randn_like rand_like zeros_like
    ones_like full_like empty_like empty""".split()
)
_NORMALISING = frozenset(("batch_norm", "instance_norm"))
"""Functions whose second and third tensors, if there are three or five, are running statistics."""
_IN_PLACE = frozenset("add sub mul div".split())
_HOMES = frozenset(("torch", "torch.Tensor", "torch.nn.functional", "torch.utils.data"))


def requires_gradient(tensor: Tensor) -> bool | None:
    """Tell whether a tensor requires a gradient, None where that is not certain."""
    node = history_of(tensor)
    if node is DETACHED:
        return False
    if type(tensor) is not Tensor or node is ROOT:
        asked = tensor.requires_grad
        return asked if type(asked) is bool and (type(tensor) is Tensor or _is_parameter(tensor)) else None
    return None if node is None else True


def history_of(tensor: Tensor) -> Node | None:
    """Return what a tensor is computed through, None where that is not known."""
    try:
        node: Node = tensor._history
    except AttributeError:
        return None
    return None if getattr(tensor._storage, "is_mixed", False) else node


def _is_parameter(tensor: Tensor) -> bool:
    return type(tensor).__name__ == "Parameter" and type(tensor).__module__.startswith("cutaway.")


def _is_computed(tensor: Tensor) -> bool:
    node = history_of(tensor)
    return type(node) is Node and node is not ROOT


def _is_leaf(tensor: Tensor) -> bool:
    return requires_gradient(tensor) is True and (_is_parameter(tensor) or history_of(tensor) is ROOT)


def follow(
    here: Session, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], written: Tensor | None
) -> None:
    """Note what the results of a function are computed through, from its arguments."""
    home, _, short = name.rpartition(".")
    if written is not None:
        _note_write(here, name, inputs, written)
        return
    made = [tensor for tensor in outputs if all(tensor is not one for one in inputs)]
    if home not in _HOMES or not made:
        return
    if short in _MAKING or not any(tensor.dtype.is_floating_point or tensor.dtype.is_complex for tensor in made):
        node: Node | None = ROOT  # numbers that are not continuous have no gradient
    elif short in _SAVING or short in _PLAIN:
        has_statistics = short in _NORMALISING and len(inputs) in (3, 5)
        node = _through(here, [inputs[0], *inputs[3:]] if has_statistics else inputs, short in _SAVING)
    else:
        return
    if node is not None:
        for tensor in made:
            if not tensor.dtype.is_complex:
                tensor._history = node if tensor.dtype.is_floating_point else ROOT


def _through(here: Session, inputs: Sequence[Tensor], saves: bool) -> Node | None:
    asked = [requires_gradient(tensor) for tensor in inputs]
    if not any(each is not False for each in asked):
        return ROOT
    differentiates = is_differentiating(here)
    if differentiates is False:
        return ROOT
    if True not in asked or differentiates is None:
        return None
    nodes = [history_of(tensor) for tensor, each in zip(inputs, asked) if each]
    return Node(tuple(node for node in nodes if node is not None and node is not ROOT), saves)


def _note_write(here: Session, name: str, inputs: Sequence[Tensor], target: Tensor) -> None:
    short = name.rpartition(".")[2].rstrip("_")
    if short in _IN_PLACE and _is_leaf(target) and is_differentiating(here) and is_certain(here):
        raise Fault(
            f"{short}_: a tensor that requires gradients is changed in place; do it in torch.no_grad()",
            FaultCode.GRADIENT_MISUSE,
        )
    if is_differentiating(here) is False or not any(requires_gradient(tensor) is not False for tensor in inputs):
        return
    node = _through(here, inputs, short in _SAVING) if short in _SAVING or short in _PLAIN else None
    if node is not None and not target._is_view and _is_computed(target):
        target._history = node
    else:  # other views of the same memory may require gradients from now on
        target._storage.is_mixed = True


def is_certain(here: Session) -> bool:
    """Tell whether nothing unknown may have changed which tensors require gradients."""
    return here.follows_gradients and UNKNOWN_CHANGES not in here.doubts


def require_detached(here: Session, tensor: Tensor, name: str) -> None:
    """Raise if a tensor that requires gradients is made an array of numpy."""
    if is_certain(here) and requires_gradient(tensor) is True and is_differentiating(here):
        raise Fault(
            f"{name}: the tensor requires gradients, so it has to be detached first: use detach().{name}()",
            FaultCode.GRADIENT_MISUSE,
        )


def differentiate(here: Session, tensor: Tensor, keeps: bool, place: Callable[[], Place | None]) -> None:
    """Free what backward frees; raise where there is nothing to differentiate, or it was freed before."""
    if not is_certain(here):
        return
    if requires_gradient(tensor) is False:
        raise Fault(
            "backward: nothing that this is computed from requires gradients: all parameters are frozen, or it is detached",
            FaultCode.GRADIENT_MISUSE,
        )
    node = history_of(tensor)
    waiting, seen = [] if node is None else [node], {id(ROOT)}
    reached: list[Node] = []
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            reached.append(each)
            waiting += each.inputs
    freed = next((each.freed for each in reached if each.freed is not None), None)
    if freed is not None:
        raise Fault(
            f"backward: a part of the graph was differentiated before, at line {freed.line}, which frees it; "
            "detach() what is used again, or pass retain_graph=True there",
            FaultCode.GRADIENT_MISUSE,
        )
    if not keeps:
        at = place()
        for each in reached:
            each.freed = at if each.saves else None
