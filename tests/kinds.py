"""Arrays of other kinds than NumPy's, as the tests take them.

`KERNELWEAVE_DEVICE=cuda pytest tests/arrays` takes PyTorch's and CuPy's on a GPU
instead of what the host can do: array-api-strict, and PyTorch's on the CPU.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

DEVICE = os.environ.get("KERNELWEAVE_DEVICE", "cpu")
NAMES = ["array_api_strict", "torch"] if DEVICE == "cpu" else ["torch", "cupy"]


@dataclass(frozen=True)
class Kind:
    """One library and device: `kind(x)` moves there, `kind.owns(x)` tells."""

    name: str

    @property
    def library(self) -> Any:
        return pytest.importorskip(self.name)

    def __call__(self, x: Any) -> Any:
        options = {"device": DEVICE} if self.name == "torch" else {}
        return self.library.asarray(np.ascontiguousarray(x), **options)

    def owns(self, x: Any) -> bool:
        module = importlib.import_module(type(x).__module__.partition(".")[0])
        same_device = self.name != "torch" or x.device.type == DEVICE
        return module is self.library and same_device


KINDS = pytest.mark.parametrize("kind", [Kind(name) for name in NAMES], ids=NAMES)
