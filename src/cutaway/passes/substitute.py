"""Numbers in place of symbols: what formulas come to where sizes are given."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.core.architecture import Architecture, ModuleCall, Quantity, Setting, Shape, Value
from cutaway.core.error import CutawayError
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, substitute, symbols
from cutaway.core.size.parser import detached
from cutaway.passes.cost import with_totals


def names(architecture: Architecture) -> set[str]:
    """Return the symbols that occur in the sizes of a network."""
    shapes: list[Shape] = [value.shape for value in (*architecture.inputs, *architecture.outputs)]
    shapes += [weight.shape for weight in architecture.weights]
    shapes += [value.shape for op in architecture.ops for value in op.outputs]
    for module in architecture.modules:
        shapes += [shape for call in module.calls for shape in (*call.inputs, *(call.outputs or ()))]
    sizes: set[Quantity] = {size for shape in shapes for size in shape or ()}
    sizes |= {amount for op in architecture.ops for amount in (op.macs, op.repeat)}
    sizes |= {module.repeat for module in architecture.modules}
    sizes |= {weight.repeat for weight in architecture.weights}
    return {symbol.name for size in sizes if size is not None for symbol in symbols(size)}


def evaluate(architecture: Architecture, values: Mapping[str, int]) -> Architecture:
    """Return a network with numbers in place of symbols; what other symbols occur in stays a formula."""
    at = _At(values)
    return with_totals(
        replace(
            architecture,
            inputs=tuple(at.value(value) for value in architecture.inputs),
            outputs=tuple(at.value(value) for value in architecture.outputs),
            weights=tuple(
                replace(weight, shape=at.shape(weight.shape), repeat=at.quantity(weight.repeat))
                for weight in architecture.weights
            ),
            modules=tuple(
                replace(
                    module,
                    calls=tuple(at.call(call) for call in module.calls),
                    repeat=at.quantity(module.repeat),
                    config={name: at.attribute(item) for name, item in module.config.items()},
                )
                for module in architecture.modules
            ),
            ops=tuple(
                replace(
                    op,
                    attributes={name: at.attribute(item) for name, item in op.attributes.items()},
                    inputs=tuple(at.value(value) for value in op.inputs),
                    outputs=tuple(at.value(value) for value in op.outputs),
                    macs=at.quantity(op.macs),
                    repeat=at.quantity(op.repeat),
                    temporaries=tuple(replace(each, shape=at.shape(each.shape)) for each in op.temporaries),
                )
                for op in architecture.ops
            ),
        )
    )


class _At:
    """The values of symbols, put into parts of a network."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values
        self.known: dict[Dim, Quantity] = {}

    def quantity(self, amount: Quantity) -> Quantity:
        if not isinstance(amount, Dim):
            return amount
        if amount not in self.known:
            try:
                self.known[amount] = detached(substitute(amount, self.values))
            except ArithmeticError as error:
                values = ", ".join(f"{name}={value}" for name, value in self.values.items())
                raise CutawayError(f"{values} can't be: {amount} is a whole number, but {error}") from None
        return self.known[amount]

    def shape(self, sizes: Shape) -> Shape:
        return None if sizes is None else tuple(map(self.quantity, sizes))

    def value(self, value: Value) -> Value:
        return replace(value, shape=self.shape(value.shape))

    def call(self, call: ModuleCall) -> ModuleCall:
        outputs = None if call.outputs is None else tuple(map(self.shape, call.outputs))
        return replace(call, inputs=tuple(map(self.shape, call.inputs)), outputs=outputs)

    def attribute(self, item: Setting) -> Setting:
        """Evaluate the expressions in a setting whose symbols all have values; others stay as they are."""
        if isinstance(item, list):
            return [self.attribute(element) for element in item]
        if isinstance(item, dict):
            return {key: self.attribute(element) for key, element in item.items()}
        if isinstance(item, Dim) and {symbol.name for symbol in symbols(item)} <= self.values.keys():
            return self.quantity(item)
        return item
