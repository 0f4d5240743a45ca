"""Recording the calls of a module, with what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Call
from cutaway.core.size.dim import is_known
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.describe import class_name
from cutaway.knowledge.base.flatten import flatten, flatten_arguments
from cutaway.knowledge.base.registry import is_shared

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does


def wrong_call(error: TypeError, caller: str) -> TypeError:
    """Return the fault of a call that does not fit the signature of a library's method; any other error as it is.

    `caller` is the file that calls the method: Python raises the error there, before the method is entered.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = None if trace is None else trace.tb_frame.f_code
    if isinstance(error, Fault) or code is None or code.co_filename != caller or code.co_name not in _CALLING:
        return error
    fault = TypeFault(str(error), FaultCode.WRONG_CALL)
    session.current().report(fault)
    return fault


def explain_call(call: Call, fault: Fault) -> None:
    """Add to a fault that ends a call where the layer that raises it is made, and what the network is called with."""
    here, module = session.current(), call.module
    if here.solver is not None or fault.finding is None or fault.finding not in here.findings:
        return
    construction = module.__dict__.get("_construction")
    if is_shared(type(module)) and not fault.finding.notes and construction is not None:
        here.explain(fault, f"{class_name(type(module))} is created here", construction.place)
    if call.depth == 0 and here.chosen_inputs is None and call.inputs:
        shapes = ", ".join(_shape_text(reference.shape) for _, reference in call.inputs)
        here.explain(fault, f"{class_name(type(module))} is called with {shapes}", here.place())


def _shape_text(shape: Any) -> str:
    if isinstance(shape, Unknown):
        return "an unknown shape"
    return "x".join(str(size) if is_known(size) else "?" for size in shape) or "a scalar"


_CALLING = frozenset(("call", "__call__", "<lambda>"))


def recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a module's method that records its calls; `_function` is the method itself."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        here = session.current()
        here.tick()
        record = Call(self, flatten_arguments(args, kwargs), len(here.operations), depth=len(here.modules))
        here.calls.append(record)
        here.modules.append(self)
        outside, here.recording = here.recording, True
        try:
            result = function(self, *args, **kwargs)
        except Fault as fault:
            explain_call(record, fault)
            raise
        except TypeError as error:
            raise wrong_call(error, __file__) from None
        finally:
            here.modules.pop()
            here.recording = outside
            record.last_operation = len(here.operations)
        record.outputs, record.presumed = flatten(result), here.presumed
        return result

    call._records = True  # type: ignore[attr-defined]
    call._function = function  # type: ignore[attr-defined]
    return call
