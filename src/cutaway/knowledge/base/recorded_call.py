"""Recording the calls of a module, with what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Call
from cutaway.knowledge.base.flatten import flatten, flatten_arguments

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
