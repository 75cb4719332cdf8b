"""A growing subspace of A's, on which the problem is a small one of the same kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from array_api_compat import device

from ..arrays import host, like, namespace, take
from ..problem import Array

# The error of a product K_jv, of the largest that it could be; and the most that is
# allowed. A bound feels it ‖K‖/λ times.
_ROUNDING, _ERROR = 1e-15, 1e-12


class Subspace:
    """span of V (m, n), VVᵀ = I, with the products K_jV.

    For A = VᵀC the saddle point is that of the Gram matrices VK_jVᵀ (m, m) and the
    targets VH (m, k), at the same λ and with the same weights: no loss of any kind, but
    that A stays in the subspace. This small problem is NumPy's; V and K_jV are of the
    kind of H.

    Parameters
    ----------
    H : ndarray (n, k)
    p : int
        Number of kernels.
    memory : int
        Bytes that V and K_jV may take. A full subspace is halved.
    apply : callable
        A ↦ K_jA (p, n, k), of A (n, k).
    into_domain : callable
        From A (n, k) to the nearest one that may be.
    """

    def __init__(
        self,
        H: Array,
        p: int,
        memory: int,
        apply: Callable[[Array], Array],
        into_domain: Callable[[Array], Array],
    ):
        n, k = H.shape
        # Half as much again is needed while it is halved.
        capacity = min(n, int(memory / 1.5 / (8 * n * (p + 1))))
        if capacity < min(n, 4 * k):
            need = 1.5 * 8 * n * (p + 1) * 4 * k
            raise ValueError(
                f"memory = {memory / 1e6:.4g} MB holds {capacity} vectors of {n} "
                f"samples and their products with {p} kernels; {k} targets need "
                f"{4 * k}: raise memory to at least {need / 1e6:.4g} MB"
            )
        self.capacity = capacity
        self.m = 0
        self._H = H
        self._apply, self._into_domain = apply, into_domain
        # Rounding errors of the products K_jv of every vector v.
        self._errors = np.empty(capacity)
        kind: Any = {"dtype": H.dtype, "device": device(H)}
        self._V = namespace(H).empty((capacity, n), **kind)
        self._KV = namespace(H).empty((capacity, p, n), **kind)
        self._grams = np.empty((p, capacity, capacity))
        self._targets = np.empty((capacity, k))

    @property
    def grams(self) -> Array:
        """VK_jVᵀ, (p, m, m)."""
        return self._grams[:, : self.m, : self.m].copy()

    @property
    def targets(self) -> Array:
        """VH, (m, k)."""
        return self._targets[: self.m].copy()

    def expand(self, C: Array) -> tuple[Array, Array]:
        """A = VᵀC (n, k) and K_jA (p, n, k)."""
        xp, C = namespace(self._V), like(C, self._V)
        KA = xp.tensordot(C, self._KV[: self.m, ...], axes=((0,), (0,)))
        A = self._V[: self.m, :].T @ C
        return A, xp.asarray(xp.permute_dims(KA, (1, 2, 0)), copy=True)

    def add(self, N: Array, C: Array, KN: Array | None = None) -> bool:
        """Add the rows of N (r, n); whether any of them was new.

        C (m, k) are the coefficients of the present A, which a full subspace keeps. KN
        (r, p, n) are the products, if they are there. What is new in a row may be a
        small part of it, and the rounding errors of its products, and of those that
        are subtracted, a large part of what is left. These errors are followed, and
        where they grow the products are made of what is new.
        """
        xp = namespace(N)
        size = host(xp.linalg.vector_norm(N, axis=1))
        some = np.flatnonzero(size)
        unit = like(1 / size[some], N)
        N = take(N, some) * unit[:, None]
        if KN is not None:
            KN = take(KN, some) * unit[:, None, None]
        V, KV = self._V[: self.m, :], self._KV[: self.m, ...]
        errors = np.full(len(some), _ROUNDING)
        # Twice is enough (Parlett 1998, §6.9).
        for _ in range(2):
            c = N @ V.T
            N = self._into_domain((N - c @ V).T).T
            values, E = np.linalg.eigh(host(N @ N.T))
            # A row whose new part is less than 1e-5 of it has lost as many digits.
            E, values = E[:, values > 1e-10], values[values > 1e-10]
            if not len(values):
                return False
            taken = np.linalg.norm(host(c) * self._errors[: self.m], axis=1)
            errors = np.sqrt((errors**2 + taken**2) @ E**2 / values)
            E = like((E / np.sqrt(values)).T, N)
            N = E @ N
            if KN is not None:
                KN = xp.tensordot(E, KN - xp.tensordot(c, KV, axes=1), axes=1)
        if KN is None or errors.max() > _ERROR:
            KN = xp.permute_dims(self._apply(N.T), (2, 0, 1))
            errors = np.full(N.shape[0], _ROUNDING)
        if self.m + N.shape[0] > self.capacity:
            self._halve(C)
        old, self.m = self.m, self.m + N.shape[0]
        new = slice(old, self.m)
        self._V[new, :], self._KV[new, ...] = N, KN
        self._errors[new] = errors
        G = xp.tensordot(KN, self._V[: self.m, :], axes=((2,), (1,)))
        G = np.array(host(G).transpose(1, 2, 0))
        G[:, new] = 0.5 * (G[:, new] + G[:, new].transpose(0, 2, 1))
        self._grams[:, : self.m, new] = G
        self._grams[:, new, : self.m] = G.transpose(0, 2, 1)
        self._targets[new] = host(N @ self._H)
        return True

    def _halve(self, C: Array) -> None:
        """Keep the present A and the latest vectors."""
        m, keep = self.m, self.capacity // 2
        # It has no part in vectors that were added since.
        C = np.vstack([C, np.zeros((m - len(C), C.shape[1]))])
        latest = np.eye(m)[:, m - keep + C.shape[1] :]
        Q = np.linalg.qr(np.column_stack([C, latest]))[0]
        self.m, QT, xp = keep, like(Q.T, self._V), namespace(self._V)
        self._V[:keep, :] = QT @ self._V[:m, :]
        self._KV[:keep, ...] = xp.tensordot(QT, self._KV[:m, ...], axes=1)
        self._grams[:, :keep, :keep] = Q.T @ self._grams[:, :m, :m] @ Q
        self._targets[:keep] = Q.T @ self._targets[:m]
        self._errors[:keep] = np.sqrt(self._errors[:m] ** 2 @ Q**2)
