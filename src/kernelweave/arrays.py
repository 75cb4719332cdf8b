"""Arrays of any kind: NumPy, PyTorch, CuPy, and what else follows the array API.

The kind and the device are those of the arguments. What is large, (n, n) or (n, k),
stays where the table came from; what is small, p weights or (p, p) Hessians, is NumPy's
and float64. Here is the little that the standard does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
from array_api_compat import (
    array_namespace,
    device,
    is_cupy_array,
    is_dask_array,
    is_jax_array,
    is_numpy_array,
    is_torch_array,
)
from array_api_compat import numpy as numpy_api


def namespace(*arrays: Any) -> Any:
    """The functions of the array API for these arrays.

    Examples
    --------
    >>> import numpy as np
    >>> float(namespace(np.ones(2)).sum(np.ones(2)))
    2.0
    """
    if arrays and all(type(array) is np.ndarray for array in arrays):
        return numpy_api
    return array_namespace(*arrays)


def is_foreign(x: Any) -> bool:
    """Whether x is an array of the array API that is not NumPy's.

    Examples
    --------
    >>> import numpy as np
    >>> is_foreign(np.ones(2)), is_foreign([1.0, 2.0])
    (False, False)
    """
    if type(x) is np.ndarray or is_torch_array(x) or is_cupy_array(x):
        return type(x) is not np.ndarray
    if is_jax_array(x):
        raise TypeError(
            "arrays of JAX cannot be written to, which tiles and factors need: pass "
            "numpy.asarray(X), or torch.from_dlpack(X) to stay on the device"
        )
    # np.float64 itself, as in OneHotEncoder.dtype, has the method, and is no array.
    no = is_numpy_array(x) or isinstance(x, np.generic | type) or is_dask_array(x)
    return hasattr(x, "__array_namespace__") and not no


def host(x: Any) -> Any:
    """x as an array of NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> host(np.arange(3))
    array([0, 1, 2])
    """
    if is_torch_array(x):
        return x.detach().cpu().numpy()
    if is_cupy_array(x):
        return x.get()
    return np.from_dlpack(x) if is_foreign(x) else np.asarray(x)


def place(x: Any) -> str:
    """Whose array x is, and on which device, in words."""
    if not is_foreign(x):
        return "NumPy"
    library = type(x).__module__.partition(".")[0]
    return f"{library} on {device(x)}"


def on_host(value: Any) -> Any:
    """The same with arrays of NumPy in the place of others, all the way down.

    A part that depends on where arrays are says by `on_host` what it becomes.
    """
    return deeply(value, _part_on_host)


def _part_on_host(part: Any) -> Any:
    if is_foreign(part):
        return host(part)
    return part.on_host() if hasattr(type(part), "on_host") else part


def deeply(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same with `change(part)` in the place of every part that it changes.

    Lists, tuples, dicts, dataclasses and estimators are looked into. What holds
    nothing to change is returned as it is, and nothing is changed in place.
    """
    changed = change(value)
    if changed is not value:
        return changed
    if isinstance(value, dict):
        parts = {key: deeply(part, change) for key, part in value.items()}
        if any(parts[key] is not value[key] for key in value):
            value = copy(value)
            value.update(parts)
    elif type(value) in (list, tuple):
        moved = [deeply(part, change) for part in value]
        same = all(a is b for a, b in zip(moved, value, strict=True))
        return value if same else type(value)(moved)
    elif is_dataclass(value) or hasattr(value, "get_params"):
        own = hasattr(value, "__dict__") and not isinstance(value, type)
        state = vars(value) if own else {}
        parts = deeply(state, change)
        if parts is not state:
            value = copy(value)
            vars(value).update(parts)
    return value


def like(numbers: Any, array: Any) -> Any:
    """Numbers of the host in float64, of the kind and on the device of `array`.

    Examples
    --------
    >>> import numpy as np
    >>> like([1, 2], np.ones(3))
    array([1., 2.])
    """
    if not is_foreign(array):
        return np.asarray(numbers, dtype=float)
    xp = namespace(array)
    if is_foreign(numbers):
        return xp.astype(numbers, xp.float64, copy=False)
    # A copy: PyTorch warns of arrays that must not be written to.
    numbers = np.array(numbers, dtype=float, order="C")
    return xp.asarray(numbers, dtype=xp.float64, device=device(array))


def filled(shape: Any, array: Any, value: float = 0.0) -> Any:
    """A fresh array of one number, float64, of the kind and on the device of `array`.

    Examples
    --------
    >>> import numpy as np
    >>> filled(2, np.ones(3), 0.5)
    array([0.5, 0.5])
    """
    if not is_foreign(array):
        return np.full(shape, value)
    xp = namespace(array)
    return xp.full(shape, value, dtype=xp.float64, device=device(array))


def take(x: Any, index: Any, axis: int = 0) -> Any:
    """x at a slice, or at numbers of the host, along an axis.

    Examples
    --------
    >>> import numpy as np
    >>> take(np.array([5.0, 6.0, 7.0]), np.array([2, 0]))
    array([7., 5.])
    """
    if axis == 0 and not is_foreign(x):
        return x[index]
    if isinstance(index, slice) or not is_foreign(x):
        return x[(*[slice(None)] * axis, index, ...)]
    xp = namespace(x)
    numbers = np.array(index, dtype=np.int64)
    return xp.take(x, xp.asarray(numbers, device=device(x)), axis=axis)


def energies(A: Any, applied: Any) -> Any:
    """⟨A, K_jA⟩ for K_jA (p, n, k): p numbers of the host.

    Examples
    --------
    >>> import numpy as np
    >>> energies(np.ones((2, 1)), np.array([[[1.0], [2.0]]]))
    array([3.])
    """
    if not is_foreign(A):
        return np.einsum("ik,jik->j", A, applied)
    xp = namespace(A)
    return host(xp.reshape(applied, (applied.shape[0], -1)) @ xp.reshape(A, (-1,)))


def combination(theta: Any, applied: Any) -> Any:
    """Σ_j θ_jK_jA for K_jA (p, n, k), with θ on the host.

    Examples
    --------
    >>> import numpy as np
    >>> combination(np.array([2.0, 3.0]), np.ones((2, 1, 1)))
    array([[5.]])
    """
    return namespace(applied).tensordot(like(theta, applied), applied, axes=1)


def add_to_diagonal(K: Any, d: Any) -> None:
    """K += diag(d) in place, for a number d or an array (n,) of the kind of K.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.zeros((2, 2))
    >>> add_to_diagonal(K, 3.0)
    >>> K
    array([[3., 0.],
           [0., 3.]])
    """
    n = K.shape[0]
    if not is_foreign(K):
        K.flat[:: n + 1] += d
        return
    xp = namespace(K)
    d = filled(n, K, d) if isinstance(d, float) else d
    for start in range(0, n, 1024):
        rows = slice(start, min(start + 1024, n))
        part = d[rows]
        unit = xp.eye(part.shape[0], dtype=K.dtype, device=device(K))
        K[rows, rows] += unit * part


def cholesky(K: Any) -> Any | None:
    """L with LLᵀ = K, K not being NumPy's; None if K is not positive definite."""
    xp = namespace(K)
    if is_torch_array(K):
        L, info = xp.linalg.cholesky_ex(K)
        return L if int(info) == 0 else None
    try:
        if is_cupy_array(K):
            # Without, an indefinite matrix gives numbers of no meaning.
            with import_module("cupyx").errstate(linalg="raise"):
                return xp.linalg.cholesky(K)
        return xp.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        return None


def solve_triangular(L: Any, B: Any, transposed: bool = False) -> Any:
    """L⁻¹B, or L⁻ᵀB, with L lower triangular and not NumPy's."""
    xp = namespace(L)
    if is_torch_array(L):
        return xp.linalg.solve_triangular(
            L.mT if transposed else L, B, upper=transposed
        )
    if is_cupy_array(L):
        solve = import_module("cupyx.scipy.linalg").solve_triangular
        return solve(L, B, trans=int(transposed), lower=True, check_finite=False)
    return xp.linalg.solve(L.T if transposed else L, B)


def require_host(loss: Any, what: str) -> None:
    """Raise a TypeError if the arrays of a loss are not NumPy's."""
    if any(is_foreign(value) for value in vars(loss).values()):
        raise TypeError(
            f"{what} computes on the host, and the arrays are not NumPy's: take a "
            "solver that works where they are (Newton, Galerkin, Alternating, Primal "
            "or DualLBFGS, for the square loss), or pass arrays of NumPy"
        )


class TooLarge(MemoryError):
    """A MemoryError that says what is too large, and what to do."""


def require_memory(size: int, x: Any, what: str) -> None:
    """Raise a `TooLarge` error unless so many bytes are free where x is on a GPU."""
    free = free_memory(x)
    if free is not None and size > free:
        raise TooLarge(
            f"{what} would take {size / 1e9:.3g} GB, and {free / 1e9:.3g} GB of the "
            "GPU's memory are free: take fewer rows, a solver that stores no matrix "
            "such as DualLBFGS() with LpBall weights, or arrays of NumPy with kernels "
            "of low rank"
        )


def free_memory(x: Any) -> int | None:
    """Bytes that are free on the GPU of x; None where x is in the host's memory."""
    if is_torch_array(x) and x.is_cuda:
        cuda = import_module("torch").cuda
        unused = cuda.memory_reserved(x.device) - cuda.memory_allocated(x.device)
        return cuda.mem_get_info(x.device)[0] + unused
    if is_cupy_array(x):
        cupy = import_module("cupy")
        with x.device:
            unused = cupy.get_default_memory_pool().free_bytes()
            return cupy.cuda.Device().mem_info[0] + unused
    return None
