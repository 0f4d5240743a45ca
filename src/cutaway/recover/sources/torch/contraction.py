"""Products of matrices, attention, sums along dimensions."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Input, Literal, Operand
from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call


@row("linear", "input weight bias")
def linear(call: Call) -> None:
    """A linear layer."""
    weights = call.weighted(weight="weight", bias="bias")
    shape = call.known_shape("weight")
    if weights is None or len(shape) != 2:
        extra = [call.name(name) for name in ("weight", "bias") if name in call.arguments]
        call.emit("F.linear", call.name(), *extra)
        return
    call.emit(
        "nn.Linear", call.name(), weights=weights, in_features=shape[1], out_features=shape[0], bias="bias" in weights
    )


@row("addmm", "input mat1 mat2")
def addmm(call: Call) -> None:
    """A product of matrices plus a tensor; with stored weights, a linear layer."""
    weight, bias = call.tensor("mat2"), call.tensor("input")
    plain = call.get("beta", 1) == 1 and call.get("alpha", 1) == 1
    if plain and weight is not None and bias is not None and len(bias.shape) == 1:
        size, out = weight.shape
        call.emit("nn.Linear", call.name("mat1"), weights={"weight": weight.permuted(1, 0), "bias": bias}, in_features=size,
                  out_features=out, bias=True)  # fmt: skip
        return
    _scaled_sum(call, "mat1", "mat2")


@row("baddbmm", "input batch1 batch2")
def baddbmm(call: Call) -> None:
    """Products of matrices plus a tensor."""
    _scaled_sum(call, "batch1", "batch2")


@row("addmv", "input mat vec")
def addmv(call: Call) -> None:
    """A product of a matrix and a vector plus a tensor."""
    _scaled_sum(call, "mat", "vec")


def _scaled_sum(call: Call, left: str, right: str) -> None:
    beta, alpha = call.get("beta", 1), call.get("alpha", 1)
    product: Operand = call.temporary("@", call.name(left), call.name(right), shape=call.out_shape())
    if alpha != 1:
        product = call.temporary("*", product, Literal(alpha), shape=call.out_shape())
    if beta == 0:
        call.alias(product)
        return
    first: Operand = call.name()
    if beta != 1:
        first = call.temporary("*", first, Literal(beta), shape=call.shape())
    call.emit("+", first, product)


@row("einsum", "")
def einsum(call: Call) -> None:
    """A sum of products by Einstein's notation."""
    equation = str(call.get("equation", "")).replace(" ", "")
    if not equation.isascii() or not equation or not all(sign.isalpha() or sign in ",->." for sign in equation):
        call.unsupported("its equation is not known")
    call.emit("torch.einsum", Literal(equation), *call.inputs)


@row("scaled_dot_product_attention", "query key value attn_mask")
def attention(call: Call) -> None:
    """Attention."""
    names = [call.name(name) for name in ("query", "key", "value")]
    config: dict[str, Any] = {}
    if "attn_mask" in call.arguments:
        config["attn_mask"] = Input(3)
        names.append(call.name("attn_mask"))
    if call.get("dropout_p", 0.0):
        call.unsupported("it drops some of the weights")
    for name, default in (("is_causal", False), ("enable_gqa", False)):
        if call.get(name, default):
            config[name] = True
    scale, width = call.get("scale"), (call.shape("query") or (None,))[-1]
    if scale is not None and not (isinstance(width, int) and math.isclose(scale, width**-0.5, rel_tol=1e-9)):
        config["scale"] = scale
    call.emit("F.scaled_dot_product_attention", *names, **config)


def dims_of(call: Call) -> Any:
    """Return the dimensions along which numbers are reduced; None where these are all."""
    dims = call.get("dim", call.get("dims"))
    if isinstance(dims, (list, tuple)):
        return None if not dims else dims[0] if len(dims) == 1 else tuple(dims)
    return dims


@row("mean sum amax amin prod logsumexp all any nanmean nansum")
def reduction(call: Call) -> None:
    """A number for all along some dimensions."""
    dims = dims_of(call)
    config: dict[str, Any] = {}
    if dims is not None:
        config = {"dim": dims, "keepdim": bool(call.get("keepdim", False))}
        if not config["keepdim"]:
            del config["keepdim"]
    own, new = call.graph.fact(call.name()).dtype, call.op.outputs[0].dtype
    if call.get("dtype") is not None and own != new:
        config["dtype"] = new
    call.emit(f".{call.key}", call.name(), **config)


@row("max min argmax argmin", "input other")
def extreme(call: Call) -> None:
    """The largest or smallest number, and where it is."""
    if "other" in call.arguments:
        call.emit("torch.maximum" if call.key == "max" else "torch.minimum", call.name(), call.name("other"))
        return
    dim = call.get("dim")
    config: dict[str, Any] = {} if dim is None else {"dim": dim}
    if call.get("keepdim", False):
        config["keepdim"] = True
    call.emit(f".{call.key}", call.name(), **config)


@row("var std var_mean")
def variance(call: Call) -> None:
    """How far numbers are from their mean."""
    dims = dims_of(call)
    config: dict[str, Any] = {} if dims is None else {"dim": dims}
    correction = call.get("correction")
    if correction is None:
        correction = 1 if call.get("unbiased", True) else 0
    if correction != 1:
        config["correction"] = int(correction)
    if call.get("keepdim", False):
        config["keepdim"] = True
    call.emit(f"torch.{call.key}", call.name(), **config)


@row("norm linalg.vector_norm linalg_vector_norm frobenius_norm")
def norm(call: Call) -> None:
    """The length of vectors."""
    dims, order = dims_of(call), call.get("p", call.get("ord", 2))
    config: dict[str, Any] = {} if dims is None else {"dim": dims}
    if order not in (2, 2.0, "fro"):
        config["ord"] = order
    if call.get("keepdim", False):
        config["keepdim"] = True
    call.emit("torch.linalg.vector_norm", call.name(), **config)


@row("cumsum cumprod")
def cumulative(call: Call) -> None:
    """Sums or products of all numbers so far."""
    config: dict[str, Any] = {"dtype": call.op.outputs[0].dtype} if call.get("dtype") is not None else {}
    call.emit(f"torch.{call.key}", call.name(), dim=call.get("dim"), **config)


@row("topk")
def largest(call: Call) -> None:
    """The largest numbers and where they are."""
    call.emit("torch.topk", call.name(), k=call.get("k"), dim=call.get("dim", -1), largest=call.get("largest", True),
              sorted=call.get("sorted", True))  # fmt: skip
