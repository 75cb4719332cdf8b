"""Every sample left out, at fixed weights: predictions, their parts, derivatives.

    B = [[λI + K, 1], [1ᵀ, 0]],   G the upper left block of B⁻¹,   A = GH,   g = diag G

The fit without sample i predicts f_{−i}(x_i) = h_i − r_i for it, r_i = A_i/g_i. Without
an intercept B has no border, and G = (λI + K)⁻¹. Of samples with weights v, λI becomes
λ/v on the diagonal: a sample is left out with all of its weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotri

from ..arrays import (
    add_to_diagonal,
    cholesky,
    filled,
    host,
    is_foreign,
    like,
    namespace,
)
from ..grams import DenseStack
from ..grams.base import Array, BlockStack, GramStack, Paired
from ..grams.tiles import spans
from ..losses.cholesky import factorise_lower
from ..losses.triangle import Triangle, fill_symmetric
from ..threads import blas_threads

# Rows of all kernels are read in blocks of at most this many numbers: 64 MB.
BLOCK = 2**23

# A symmetric product on a GPU is computed up to its diagonal, this many rows at a time.
ROWS = 2048


@dataclass(frozen=True)
class LeftOut:
    """G, A = GH and the left-out residuals R = A/g, rows r_i, of one (θ, λ).

    Attributes
    ----------
    G : array (n, n)
    A, R : arrays (n, k)
    v : array (n,), optional
        Weights of the samples.
    """

    G: Array
    A: Array
    R: Array
    v: Array | None = None

    @property
    def g(self) -> Array:
        """diag G, (n,)."""
        return namespace(self.G).linalg.diagonal(self.G)

    @property
    def errors(self) -> Array:
        """v_i‖r_i‖², (n,)."""
        squares = namespace(self.R).sum(self.R * self.R, axis=1)
        return squares if self.v is None else self.v * squares

    @property
    def value(self) -> float:
        """P = Σ_i v_i‖r_i‖²."""
        return float(namespace(self.R).sum(self.errors))

    def sensitivity(self) -> Array:
        """Q = ∂P/∂K, symmetric (n, n), from which every derivative of P is taken.

        With w_i = v_i‖r_i‖²/g_i and the rows v_ir_i/g_i of R/g,

            Q = 2G diag(w)G − G(R/g)Aᵀ − A(R/g)ᵀG,

        and ∂P/∂θ_j = ⟨Q, K_j⟩, ∂P/∂λ = tr Q, ∂P/∂γ = ⟨Q, ∂K/∂γ⟩.
        """
        xp, g, w = namespace(self.G), self.g, self.errors / self.g
        B = self.G @ (self.R / (g if self.v is None else g / self.v)[:, None])
        if is_foreign(self.G):
            Q = xp.empty_like(self.G)
            # A symmetric product by blocks of rows, up to the diagonal: n³ flops.
            left = xp.concat([B, self.A], axis=1)
            right = xp.concat([self.A, B], axis=1)
            for rows in spans(self.G.shape[0], ROWS):
                part = (2 * w * self.G[rows, :]) @ self.G[:, : rows.stop]
                part -= left[rows, :] @ right[: rows.stop, :].T
                fill_symmetric(Q, rows, part)
            return Q
        W = self.G * xp.sqrt(w)
        with blas_threads(len(W)):
            # BLAS sees the transpose of W, so that no copy is made.
            Q = dsyrk(2.0, W.T, trans=1, lower=1)
            Q -= B @ self.A.T
            Q -= self.A @ B.T
            return _mirrored(Q)

    def contributions(self, gram: GramStack, theta: Array) -> Array:
        """Every kernel's part of every left-out prediction, (p, n, k).

            c_j(i) = θ_j[(K_jA)_i − (K_jG)_ii A_i/g_i]

        They add up, with the intercept b_{−i} of the fit without sample i, to the
        prediction: Σ_j c_j(i) + b_{−i} = h_i − r_i.
        """
        inside = pair_products(gram, self.G)
        parts = gram.apply(self.A) - inside[:, :, None] * self.R
        return like(theta, parts)[:, None, None] * parts

    def shares(self, gram: GramStack, theta: Array, H: Array) -> Array:
        """⟨c_j, H⟩/⟨H, H⟩ with H centred, (p,): what a kernel tells of unseen samples.

        A kernel that predicts nothing has zero on average, whatever its weight. Means
        and products are weighted, if the samples are.
        """
        xp = namespace(H)
        v = filled(H.shape[0], H, 1.0) if self.v is None else self.v
        H = H - v @ H / xp.sum(v)
        parts = self.contributions(gram, theta)
        vH = v[:, None] * H
        return host(xp.sum(parts * vH, axis=(1, 2)) / xp.sum(vH * H))


def leave_out(
    K: Array, lam: float, H: Array, intercept: bool = True, v: Array | None = None
) -> LeftOut:
    """The inverse that knows all fits without one sample.

    Parameters
    ----------
    K : array (n, n)
        K(θ), positive semidefinite. It is overwritten.
    lam : float
        λ > 0.
    H : array (n, k)
        Targets.
    intercept : bool
        Whether B has its border. Centred matrices need it, K1 = 0: without it their
        centring tells the target of the sample that is left out.
    v : array (n,), optional
        Weights of the samples, positive.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.selection import leave_out
    >>> x = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> h = 3 * x + 1
    >>> found = leave_out(x @ x.T, 1e-9, h)
    >>> (h - found.R).round(3).ravel()
    array([ 1.,  4.,  7., 13.])
    """
    xp, n = namespace(K), K.shape[0]
    if not lam > 0:
        raise ValueError(f"leaving samples out needs λ > 0, got {lam!r}")
    with blas_threads(n):
        d = float(lam) if v is None else lam / v
        if intercept:
            # On 1ᵀA = 0 a shift along 1 changes nothing, and K may annihilate 1.
            K += float(xp.linalg.trace(K) / n + (lam if v is None else xp.mean(d))) / n
        add_to_diagonal(K, d)
        G = _inverse(K)
        if intercept:
            sums = xp.sum(G, axis=0)
            G -= sums[:, None] * (sums / xp.sum(sums))
        A = G @ H
    g = xp.linalg.diagonal(G)
    if not bool(xp.all(g > 0)):
        raise ValueError(
            f"λ = {lam:.2g} is so small that λI + K(θ) is singular to rounding: take a "
            "larger one"
        )
    return LeftOut(G, A, A / g[:, None], v)


def pair_products(gram: GramStack, Q: Array) -> Array:
    """(K_jQ)_ii for every kernel and sample, (p, n), Q symmetric; p·n² operations.

    Their sum over i is ⟨K_j, Q⟩.
    """
    if isinstance(gram, Paired):
        return gram.pair_products(Q)
    xp = namespace(Q)
    return xp.concat(
        [xp.sum(part * Q[i, :], axis=2) for i, part in _rows(gram)], axis=1
    )


def inner_products(gram: GramStack, Q: Array) -> Array:
    """⟨K_j, Q⟩ for every kernel, (p,) on the host."""
    if isinstance(gram, DenseStack) and not is_foreign(Q):
        return np.tensordot(gram.matrices, Q, axes=2)
    return host(namespace(Q).sum(pair_products(gram, Q), axis=1))


def _rows(gram: GramStack) -> Iterator[tuple[slice, Array]]:
    """Blocks of rows, and these rows of every kernel, (p, b, n)."""
    step = max(1, BLOCK // (gram.p * gram.n))
    for rows in spans(gram.n, step):
        if isinstance(gram, DenseStack):
            yield rows, gram.matrices[:, rows, :]
        elif isinstance(gram, BlockStack):
            yield rows, gram.rows(np.arange(rows.start, rows.stop))
        else:
            parts: list[Any] = [gram[j][rows, :] for j in range(gram.p)]
            yield rows, namespace(parts[0]).stack(parts)


def _inverse(M: Array) -> Array:
    """M⁻¹, in the memory of M where that can be; M may be singular to rounding."""
    xp = namespace(M)
    diagonal = xp.asarray(xp.linalg.diagonal(M), copy=True)
    # n ε tr(M) bounds the rounding error of the factorisation (Higham 2002, 10.3).
    unit = float(np.finfo(float).eps) * float(xp.sum(diagonal))
    for jitter in (0.0, unit, 1e2 * unit, 1e4 * unit):
        if is_foreign(M):
            add_to_diagonal(M, jitter)
            L = cholesky(M)
            if L is not None:
                return Triangle(L).inverse(out=M)
            continue
        if jitter:
            # The factor took the upper triangle and the diagonal.
            M.flat[:: len(M) + 1] = diagonal + jitter
            _mirrored(M)
        if factorise_lower(M.T) == 0:
            return _mirrored(dpotri(M.T, lower=1, overwrite_c=1)[0])
    raise ValueError(
        "λI + K(θ) is not positive definite: take a larger λ, or check the kernels "
        "with numpy.linalg.eigvalsh"
    )


def _mirrored(M: Array) -> Array:
    """The lower triangle of M also above its diagonal, in place."""
    for rows in spans(len(M), 256):
        M[rows, rows.stop :] = M[rows.stop :, rows].T
        corner = np.tril(M[rows, rows], -1)
        M[rows, rows] = corner + corner.T + np.diag(np.diag(M[rows, rows]))
    return M
