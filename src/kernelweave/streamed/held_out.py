"""Predictions for the rows of a fold by the others, known by their moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problem import Array
from .folds import Folds
from .moments import Moments
from .reduced import Scaling, ridge, ridge_slopes


@dataclass(frozen=True)
class Predicted:
    """Sums over all rows i of f(x_i), with f fitted to the folds that i is not in.

    Attributes
    ----------
    errors : ndarray (F,)
        Σ‖h_i − f(x_i)‖² over the rows of each fold.
    counts : ndarray (q,)
        Σ_i t_i: of indicators, the sizes of the classes.
    sums : ndarray (q, k)
        Σ_i t_if(x_i)ᵀ: of indicators, class by class.
    second : ndarray (k, k)
        Σ_i f(x_i)f(x_i)ᵀ.
    rows : ndarray (m, k)
        f(x_i) of the rows that were given as such.
    coding : ndarray (q, k)
        h_i = t_i·coding.
    """

    errors: Array
    counts: Array
    sums: Array
    second: Array
    rows: Array
    coding: Array


class HeldOut:
    """Fit to all folds but one, and look at that one: F factorisations of D equations.

    The scaling of the kernels is that of all rows, as the weights and λ are. Features
    are centred without the fold; if they are not to be centred, so are those whose mean
    over all rows is zero, which centred them all together (see `is_centred`). A
    quadratic form in the moments of a fold is a sum over its rows, so no row is read
    again.

    Parameters
    ----------
    folds : Folds
    scaling : Scaling
    coding : ndarray (q, k)
        The targets are H = T·coding.
    rows : (ndarray (m, D), ndarray of int (m,)), optional
        The features of some rows, and the numbers of these rows.
    """

    def __init__(
        self,
        folds: Folds,
        scaling: Scaling,
        coding: Array,
        rows: tuple[Array, Array] | None = None,
    ):
        self._scaling, self._coding = scaling, coding
        D = scaling.blocks[-1].stop
        Z, numbers = rows or (np.empty((0, D)), np.empty(0, dtype=int))
        self._count = len(Z)
        self._folds = []
        features = scaling.centred_features(folds.total())
        for f, rest, part in folds.splits():
            mine = np.flatnonzero(numbers % len(folds.parts) == f)
            self._folds.append(_Fold(rest, part, scaling, features, coding, mine, Z))

    def __len__(self) -> int:
        return len(self._folds)

    def __call__(self, theta: Array, lam: float) -> Predicted:
        coding = self._coding
        q, k = coding.shape
        errors = []
        counts, sums, second = np.zeros(q), np.zeros((q, k)), np.zeros((k, k))
        rows = np.empty((self._count, k))
        for fold in self._folds:
            C = ridge(fold.G, fold.B, self._scaling, theta, lam)
            # f = (z − a)ᵀC + b, with a and b of the other folds; h − f has no b.
            gg = C.T @ (fold.zz @ C)
            errors.append(float(np.trace(fold.hh - 2 * fold.hz @ C + gg)))
            shift = np.outer(fold.z @ C, fold.b)
            ff = gg + shift + shift.T + fold.count * np.outer(fold.b, fold.b)
            tf = fold.tz @ C + np.outer(fold.t, fold.b)
            counts, sums, second = counts + fold.t, sums + tf, second + ff
            rows[fold.rows] = fold.Z @ C + fold.b
        return Predicted(np.array(errors), counts, sums, second, rows, coding)

    def slopes(self, theta: Array, lam: float) -> tuple[float, Array]:
        """P = Σ_i‖h_i − f(x_i)‖² over all rows, and ∂P/∂log θ (p,).

        Of one fold, with Z and H its centred rows, P = ‖H − ZC‖², and so
        ∂P/∂C = 2(ZᵀZC − ZᵀH); `ridge_slopes` leads from C to θ.
        """
        value, slopes = 0.0, np.zeros(len(theta))
        for fold in self._folds:

            def outward(C: Array, fold: _Fold = fold) -> tuple[float, Array]:
                inside = fold.zz @ C
                error = np.trace(fold.hh) - 2 * np.vdot(fold.hz.T, C)
                return error + np.vdot(C, inside), 2 * (inside - fold.hz.T)

            found = ridge_slopes(fold.G, fold.B, self._scaling, theta, lam, outward)
            value, slopes = value + float(found[0]), slopes + found[1]
        return value, slopes


class _Fold:
    """ZᵀZ and ZᵀH of the other folds, centred; sums of z − a, t, h − b of this one.

    And z − a of those of its rows that are there.
    """

    def __init__(
        self,
        rest: Moments,
        part: Moments,
        scaling: Scaling,
        features: Array,
        coding: Array,
        rows: Array,
        Z: Array,
    ):
        D = scaling.blocks[-1].stop
        about = scaling.about(rest)
        about[:D][features] = rest.mean[:D][features]
        S = rest.scatter(about)
        self.G, self.B = S[:D, :D], S[:D, D:] @ coding
        self.b = about[D:] @ coding
        S = part.scatter(about)
        self.count = part.count
        self.z = part.count * (part.mean[:D] - about[:D])
        self.t = part.count * part.mean[D:]
        self.zz, self.tz = S[:D, :D], S[D:, :D] + np.outer(about[D:], self.z)
        self.hz = coding.T @ S[D:, :D]
        self.hh = coding.T @ S[D:, D:] @ coding
        self.rows, self.Z = rows, Z[rows] - about[:D]
