"""Gradient modes, autocast and gradient scaling: contexts and decorators that leave shapes alone."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.program_state import Key
from cutaway.core.record import dataclass, field
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.torch.runtime.inert import Inert, always, nothing, register_all, transparent
from cutaway.knowledge.torch.tensor.types import DType, bfloat16, float16


@dataclass
class Modes:
    """The modes of one session; a new session starts with torch's own."""

    grad: bool = True
    inference: bool = False
    autocast: dict[str, DType] = field(default_factory=dict)


_MODES: Key[Modes] = Key(Modes)


def modes() -> Modes:
    """Return the modes of the session in progress."""
    return _MODES.get()


@dataclass
class Decorated:
    """Functions that run in a mode of their own."""

    functions: list[Any] = field(default_factory=list)


_DECORATED: Key[Decorated] = Key(Decorated)


def is_differentiating(here: session.Session) -> bool | None:
    """Tell whether operations are recorded for gradients; None where that is not certain."""
    now = modes()
    if type(now.grad) is not bool or type(now.inference) is not bool:
        return None
    if any(map(here.runs, _DECORATED.get().functions)):
        return None
    return now.grad and not now.inference


def _decorated(function: Any) -> Any:
    """Return a function that runs in a mode of its own: it stays itself."""
    if session.current().follows_gradients:
        _DECORATED.get().functions.append(function)
    return function


class _Mode:
    """A context that can also decorate; a decorated function stays itself."""

    _before: Any = None

    def __call__(self, func: Any) -> Any:
        return _decorated(func)

    def _enter(self) -> Any:
        raise NotImplementedError

    def _leave(self, before: Any) -> None:
        raise NotImplementedError

    def __enter__(self) -> Any:
        self._before = [*(self._before or []), self._enter()]
        return None

    def __exit__(self, *_exc: object) -> None:
        if self._before:
            self._leave(self._before.pop())

    def clone(self) -> Any:
        return self


class _Grad(_Mode):
    mode: bool

    def _enter(self) -> bool:
        before, modes().grad = modes().grad, self.mode
        return before

    def _leave(self, before: bool) -> None:
        modes().grad = before


class _Plain(_Grad):
    """A gradient mode whose name decorates a function directly: `@torch.no_grad`."""

    def __new__(cls, orig_func: Any = None) -> Any:
        return object.__new__(cls) if orig_func is None else _decorated(orig_func)

    def __init__(self, orig_func: Any = None) -> None:
        pass


@row("torch.no_grad", "torch.autograd.no_grad", "torch.autograd.grad_mode.no_grad")
class no_grad(_Plain):
    """Gradients off."""

    mode = False


@row("torch.enable_grad", "torch.autograd.enable_grad", "torch.autograd.grad_mode.enable_grad")
class enable_grad(_Plain):
    """Gradients on."""

    mode = True


@row("torch.set_grad_enabled", "torch.autograd.set_grad_enabled", "torch.autograd.grad_mode.set_grad_enabled")
class set_grad_enabled(_Grad):
    """Gradients on or off, from the call on; as a context only within it."""

    def __init__(self, mode: Any) -> None:
        self.mode = mode
        self._first = modes().grad
        modes().grad = mode

    def __call__(self, func: Any) -> Any:
        modes().grad = self._first
        return _decorated(func)

    def _enter(self) -> bool:
        modes().grad = self.mode
        return self._first


@row("torch.inference_mode", "torch.autograd.inference_mode", "torch.autograd.grad_mode.inference_mode")
class inference_mode(_Mode):
    """Gradients off, and no record of them."""

    def __new__(cls, mode: Any = True) -> Any:
        return _decorated(mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode

    def _enter(self) -> tuple[bool, bool]:
        now = modes()
        before = now.grad, now.inference
        now.inference = self.mode
        now.grad = now.grad and not self.mode
        return before

    def _leave(self, before: tuple[bool, bool]) -> None:
        modes().grad, modes().inference = before


register("torch.is_grad_enabled", lambda: modes().grad)
register("torch.is_inference_mode_enabled", lambda: modes().inference)
register_all("torch.autograd", "set_detect_anomaly detect_anomaly set_multithreading_enabled", Inert)


class _Autocast(_Mode):
    """Mixed precision on one kind of device."""

    def __init__(self, device_type: Any, dtype: Any = None, enabled: Any = True, cache_enabled: Any = None) -> None:
        self.device = device_type
        self.fast_dtype = autocast_dtype(device_type) if dtype is None else dtype
        # torch disables it where the device does not exist, and so it is for a GPU here.
        self._enabled = type(enabled) is Unknown or (bool(enabled) and device_type == "cpu")
        if type(enabled) is not Unknown and enabled and device_type != "cpu":
            session.current().assume(f"no {device_type} device: autocast for it is disabled, as torch does it")

    def _enter(self) -> DType | None:
        autocast = modes().autocast
        before = autocast.get(self.device)
        if self._enabled:
            session.current().presume("CPU autocast is not applied: dtypes are those without it")
            autocast[self.device] = self.fast_dtype
        else:
            autocast.pop(self.device, None)
        return before

    def _leave(self, before: DType | None) -> None:
        if before is None:
            modes().autocast.pop(self.device, None)
        else:
            modes().autocast[self.device] = before


register("torch.autocast", _Autocast)
register("torch.amp.autocast", _Autocast)
register("torch.amp.autocast_mode.autocast", _Autocast)


def _autocast_on(device: str, dtype: DType) -> type:
    class autocast(_Autocast):
        """Mixed precision on the device of the namespace."""

        def __init__(self, enabled: Any = True, dtype: Any = dtype, cache_enabled: Any = True) -> None:
            super().__init__(device, dtype, enabled, cache_enabled)

    return autocast


for _device, _dtype in (("cuda", float16), ("cpu", bfloat16)):
    _made = _autocast_on(_device, _dtype)
    register(f"torch.{_device}.amp.autocast", _made)
    register(f"torch.{_device}.amp.autocast_mode.autocast", _made)


@row("torch.get_autocast_dtype")
def autocast_dtype(device_type):
    return modes().autocast.get(device_type) or (bfloat16 if device_type in ("cpu", "xla") else float16)


@row("torch.is_autocast_enabled")
def is_autocast_enabled(device_type="cuda"):
    return device_type in modes().autocast


register("torch.is_autocast_cpu_enabled", lambda: is_autocast_enabled("cpu"))
register("torch._C._is_any_autocast_enabled", lambda: bool(modes().autocast))
register("torch.get_autocast_gpu_dtype", lambda: autocast_dtype("cuda"))
register("torch.get_autocast_cpu_dtype", lambda: autocast_dtype("cpu"))
register("torch.is_autocast_cache_enabled", always(True))
register_all(
    "torch",
    "set_autocast_enabled set_autocast_gpu_dtype set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype "
    "set_autocast_cache_enabled clear_autocast_cache",
    nothing,
)
for _owner in ("torch.amp", "torch.amp.autocast_mode", "torch.cuda.amp", "torch.cuda.amp.autocast_mode"):
    register_all(_owner, "custom_fwd custom_bwd", transparent)
register("torch.amp.is_autocast_available", always(True))
register("torch.amp.autocast_mode.is_autocast_available", always(True))


@row("torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.cpu.amp.GradScaler")
@row("torch.amp.grad_scaler.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler")
class GradScaler(Inert):
    """Scales a loss; training is not modelled, so it stays what it is."""

    def scale(self, outputs: Any) -> Any:
        return outputs

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        return optimizer.step(*args, **kwargs)

    def get_scale(self) -> float:
        return 1.0

    def is_enabled(self) -> bool:
        return False

    def state_dict(self) -> dict[str, Any]:
        return {}
