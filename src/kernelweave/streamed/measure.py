"""How fast a core of this machine is at what a fit of many rows does."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from ..kernels import RBF, Nystroem
from .features import FeatureMap
from .moments import Moments

# Enough work that the clock of the processor can tell: some hundredths of a second.
_ROWS, _REPEATS = 4000, 3


def measure(columns: int, components: int) -> tuple[float, float]:
    """Operations a second in ZᵀZ, and kernel values a second in Z, of one core.

    The processor's time is taken, not the clock's, so other work on the machine
    disturbs little. What all cores reach together may be less: they share memory.
    """
    generator = np.random.default_rng(0)
    X = generator.standard_normal((_ROWS, columns))
    with threadpool_limits(1):
        kernel = Nystroem(RBF(), components).fit(X)
        kernels = FeatureMap([kernel] * max(1, 1000 // components), False, X[:1])
        Z = kernels(X)
        moments = Moments.empty(np.zeros(Z.shape[1]))
        flops = Z.size * Z.shape[1] / _seconds(lambda: moments.add(Z))
        whole = _seconds(lambda: kernels(X, out=Z))
    operations = 2 * Z.size * (columns + kernel.n_features_)
    # A disturbance must not leave nothing for the values.
    return flops, Z.size / max(whole - operations / flops, whole / 2)


def _seconds(work: Callable[[], object]) -> float:
    """Processor time, the least of three."""
    times = []
    for _ in range(_REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
