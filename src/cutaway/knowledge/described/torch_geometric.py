"""PyTorch Geometric: the one part of it that is described here instead of being read from its source.

The rest of the library is interpreted.
"""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row


@row("torch_geometric.template.module_from_template")
def module_from_template(*_args: Any, **_kwargs: Any) -> Any:
    """Makes no module: it renders a Jinja template, writes the result to a file and imports that.

    The functions of such a module are those of `MessagePassing` unrolled for one class. Where none is made,
    the library itself goes on with the functions as they are written, which do the same.
    """
    raise NotImplementedError("a module is not generated from a template")
