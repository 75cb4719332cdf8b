"""max tr(ZT) over correlation matrices Z: a k×k semidefinite program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_matrix

from ..problem import Array


@dataclass(frozen=True)
class CorrelationMaximum:
    """The optimum of max tr(ZT), Z ⪰ 0, Z_jj = 1, and of min Σt, diag(t) ⪰ T.

    Attributes
    ----------
    t : ndarray (k,)
        Feasible: diag(t) − T is positive semidefinite, so Σt is an upper bound.
    B : ndarray (k, k)
        Z = BBᵀ; its rows have unit length, so tr(BᵀTB) is a lower bound. Its last
        columns are eigenvectors of Z times the root of the eigenvalues.
    slack : ndarray (k, k)
        S = diag(t) − T; ZS = 0 at the optimum.
    """

    t: Array
    B: Array
    slack: Array

    @property
    def gap(self) -> float:
        """Σt − tr(BᵀTB) = tr(ZS), which is zero at the optimum."""
        return float(np.sum(self.B * (self.slack @ self.B)))

    @property
    def range(self) -> Array:
        """Which columns of B span the range of Z, (k,): those of more Z than S."""
        values = np.sum(self.B**2, axis=0)
        U = self.B / np.sqrt(np.where(values > 0, values, 1))
        against = np.einsum("ik,ij,jk->k", U, self.slack, U) / np.mean(self.t)
        return values > np.maximum(against, 1e-9)

    def curvature(self, BG: Array) -> Array:
        """C_ij = −tr(dZ_j·G_i) with dZ_j the change of Z as T changes by −G_j.

        From ZS = 0 and diag(dZ) = 0, in the basis U₁ of the range of Z (Alizadeh,
        Haeberly and Overton 1997): with X = U₁ᵀdZU₁ and dS = diag(dt) − dT,

            U₁ᵀ dS U₁ = 0,   diag(U₁XU₁ᵀ) = 2(Z∘S⁺)dt − 2diag(Z dT S⁺).

        Parameters
        ----------
        BG : ndarray (p, k, k)
            BᵀG_j for each j.
        """
        k, rank = len(self.t), self.range
        root = np.linalg.norm(self.B[:, rank], axis=0)
        U1 = self.B[:, rank] / root
        r = U1.shape[1]
        Z = self.B @ self.B.T
        complement = np.eye(k) - U1 @ U1.T
        inverse = np.linalg.pinv(complement @ self.slack @ complement, rcond=1e-9)
        inverse = complement @ inverse @ complement
        # Unknowns: the upper triangle of X, then dt.
        i, j = np.triu_indices(r)
        outer = U1[:, i] * U1[:, j]
        system = np.block(
            [
                [outer * np.where(i == j, 1.0, 2.0), -2 * Z * inverse],
                [np.zeros((len(i), len(i))), outer.T],
            ]
        )
        U1G = BG[:, rank] / root[:, None]
        # dT = −G_j, row blocks U₁ᵀdT: (p, r, k).
        right = np.concatenate(
            [
                2 * np.einsum("ir,r,jri->ji", U1, root**2, U1G @ inverse),
                -np.einsum("jri,is->jrs", U1G, U1)[:, i, j],
            ],
            axis=1,
        )
        solution = np.linalg.lstsq(system, right.T, rcond=1e-10)[0].T
        p = len(BG)
        X = np.zeros((p, r, r))
        X[:, i, j] = X[:, j, i] = solution[:, : len(i)]
        dt = solution[:, len(i) :]
        # dZ = U₁XU₁ᵀ + (U₁Y + its transpose), Y = −Λ U₁ᵀ(diag(dt) + G_j) S⁺.
        Y = -(root**2)[:, None] * ((U1.T * dt[:, None] + U1G) @ inverse)
        first = np.einsum("jrs,irs->ij", X, np.einsum("iru,us->irs", U1G, U1))
        second = 2 * np.einsum("jru,iru->ij", Y, U1G)
        curvature = -(first + second)
        return 0.5 * (curvature + curvature.T)


def correlation_sdp(T: Array) -> CorrelationMaximum:
    """Solve both programs, by Clarabel, and make both points feasible."""
    import clarabel

    k = len(T)
    T = 0.5 * (T + T.T)
    unit = np.trace(T) / k or 1.0
    # The upper triangle of Z column by column, off-diagonal entries times √2.
    j, i = np.tril_indices(k)
    weight = np.where(i == j, 1.0, np.sqrt(2))
    size = len(i)
    pick = (i == j)[None] * (i == np.arange(k)[:, None])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    solver = clarabel.DefaultSolver(
        csc_matrix((size, size)),
        -weight * T[i, j] / unit,
        csc_matrix(np.vstack([pick, -np.eye(size)])),
        np.append(np.ones(k), np.zeros(size)),
        [clarabel.ZeroConeT(k), clarabel.PSDTriangleConeT(k)],
        settings,
    )
    solution = solver.solve()
    Z = np.zeros((k, k))
    Z[i, j] = Z[j, i] = np.array(solution.x) / weight
    scale = 1 / np.sqrt(np.diag(Z))
    values, vectors = np.linalg.eigh(scale[:, None] * Z * scale)
    found = _feasible(
        T, unit * np.array(solution.z)[:k], vectors * np.sqrt(np.maximum(values, 0))
    )
    return min(found, _polished(T, found), key=lambda best: best.gap)


def _feasible(T: Array, t: Array, B: Array) -> CorrelationMaximum:
    """Both points, shifted and scaled into their sets."""
    t = t + max(0.0, -np.linalg.eigvalsh(np.diag(t) - T)[0])
    B = B / np.linalg.norm(B, axis=1, keepdims=True)
    return CorrelationMaximum(t, B, np.diag(t) - T)


def _polished(T: Array, found: CorrelationMaximum) -> CorrelationMaximum:
    """The optimum beside a nearly optimal point, by Newton's method.

    An interior point is off by the root of its gap in Z, and A feels that. On
    the matrices Z = RRᵀ of the right rank r, R (k, r), the optimum is the root of

        SR = 0,   S = diag(t) − T,   ‖R_i‖ = 1,

    up to a rotation of R: the step is the shortest that solves the linear system

        S dR + diag(dt)R = −SR,   ⟨R_i, dR_i⟩ = ½(1 − ‖R_i‖²).
    """
    k = len(T)
    R, t = found.B[:, found.range], found.t
    r = R.shape[1]
    if r == 0:  # T = 0
        return found
    border = np.einsum("ij,ir->irj", np.eye(k), R).reshape(k * r, k)
    for _ in range(3):
        S = np.diag(t) - T
        unit = np.mean(t)
        system = np.block(
            [[np.kron(S / unit, np.eye(r)), border], [border.T, np.zeros((k, k))]]
        )
        right = np.append(-(S @ R) / unit, 0.5 * (1 - np.sum(R * R, axis=1)))
        step = np.linalg.lstsq(system, right, rcond=1e-10)[0]
        R, t = R + step[: k * r].reshape(k, r), t + unit * step[k * r :]
        border = np.einsum("ij,ir->irj", np.eye(k), R).reshape(k * r, k)
    # Eigenvectors times the root of the eigenvalues, in rising order, after zeros.
    P, roots, _ = np.linalg.svd(R, full_matrices=False)
    B = np.zeros((k, k))
    B[:, k - r :] = (P * roots)[:, ::-1]
    return _feasible(T, t, B)
