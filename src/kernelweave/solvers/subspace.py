"""A growing subspace of A's, on which the problem is a small one of the same kind."""

from __future__ import annotations

import numpy as np

from ..problem import Array


class Subspace:
    """span of V (m, n), VVᵀ = I, with the products K_jV.

    For A = VᵀC the saddle point is that of the Gram matrices VK_jVᵀ (m, m) and the
    targets VH (m, k), at the same λ and with the same weights: no loss of any kind, but
    that A stays in the subspace.

    Parameters
    ----------
    H : ndarray (n, k)
    p : int
        Number of kernels.
    memory : int
        Bytes that V and K_jV may take. A full subspace is halved.
    """

    def __init__(self, H: Array, p: int, memory: int):
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
        self._V = np.empty((capacity, n))
        self._KV = np.empty((capacity, p, n))
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
        KA = np.tensordot(C, self._KV[: self.m], (0, 0))
        return self._V[: self.m].T @ C, np.ascontiguousarray(KA.transpose(1, 2, 0))

    def add(self, N: Array, KN: Array, C: Array) -> bool:
        """Add the rows of N (r, n), KN (r, p, n); whether any of them was new.

        C (m, k) are the coefficients of the present A, which a full subspace keeps.
        """
        size = np.linalg.norm(N, axis=1)
        N, KN = N[size > 0], KN[size > 0]
        N, KN = N / size[size > 0, None], KN / size[size > 0, None, None]
        V, KV = self._V[: self.m], self._KV[: self.m]
        # Twice is enough (Parlett 1998, §6.9).
        for _ in range(2):
            c = N @ V.T
            N = N - c @ V
            KN = KN - np.tensordot(c, KV, 1)
            values, E = np.linalg.eigh(N @ N.T)
            # A row whose new part is less than 1e-5 of it has lost as many digits.
            E = E[:, values > 1e-10] / np.sqrt(values[values > 1e-10])
            N, KN = E.T @ N, np.tensordot(E.T, KN, 1)
        if self.m + len(N) > self.capacity:
            self._halve(C)
        old, self.m = self.m, self.m + len(N)
        new = slice(old, self.m)
        self._V[new], self._KV[new] = N, KN
        G = np.tensordot(KN, self._V[: self.m], (2, 1)).transpose(1, 2, 0)
        G[:, new] = 0.5 * (G[:, new] + G[:, new].transpose(0, 2, 1))
        self._grams[:, : self.m, new] = G
        self._grams[:, new, : self.m] = G.transpose(0, 2, 1)
        self._targets[new] = N @ self._H
        return len(N) > 0

    def _halve(self, C: Array) -> None:
        """Keep the present A and the latest vectors."""
        m, keep = self.m, self.capacity // 2
        # It has no part in vectors that were added since.
        C = np.vstack([C, np.zeros((m - len(C), C.shape[1]))])
        latest = np.eye(m)[:, m - keep + C.shape[1] :]
        Q = np.linalg.qr(np.column_stack([C, latest]))[0]
        self.m = keep
        self._V[:keep] = Q.T @ self._V[:m]
        self._KV[:keep] = np.tensordot(Q.T, self._KV[:m], 1)
        self._grams[:, :keep, :keep] = Q.T @ self._grams[:, :m, :m] @ Q
        self._targets[:keep] = Q.T @ self._targets[:m]
