"""What every base kernel can do."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from ..arrays import is_foreign
from ..entries import few_zeros, finite_numbers, plain_table, without_duplicates
from ..inputs.mixed_table import MixedTable
from ..problem import Array
from .columns import resolve_columns
from .foreign_arrays import (
    fit_scaler,
    foreign_numbers,
    refuse_foreign,
    refuse_foreign_gaps,
    scale_foreign,
)
from .missing import (
    check_choice,
    column_names,
    medians,
    refuse_gaps,
    refuse_labels,
    refuse_sparse,
    refuse_unfitted,
    with_absent,
)
from .origin import find_origin, moved, no_huge_numbers
from .plain_parameters import label_of
from .ranks import Ranks, check_scale


class Kernel(BaseEstimator):
    """What the kernels share: columns, a name, missing values, and Gram matrices.

    Parameters
    ----------
    columns : optional
        None (all), a slice, a list of numbers or of names, a boolean mask, or a
        callable that takes the table and returns one of these, such as
        `sklearn.compose.make_column_selector`.
    name : str, optional
        For tables and messages. "view: kernel" makes the kernel belong to a view.
    scale : bool or "rank"
        Whether the columns are first brought to mean zero and variance one, by the
        training rows (a sparse table is only divided, unless half of it is no zeros).
        "rank" turns every column to ranks among the training rows, in [0, 1], so that
        neither outliers nor an increasing function of the column matter.
    missing : {"error", "mean", "impute"}
        What to do about NaN. "error" refuses it. "mean": a row that has none of the
        kernel's columns is absent; in feature space it sits at the mean μ of the
        training rows that are not. Its row of the centred Gram matrix is zero, so that
        the kernel adds nothing to its similarity to any other. "impute" fills such rows
        as well. Single entries that are missing are filled by both, with the median of
        the column (`Overlap`: its most frequent value) over the training rows.

    Examples
    --------
    The first row has neither column of its view; after centring it is like no other:

    >>> import numpy as np
    >>> from kernelweave.kernels import Linear
    >>> X = np.array([[np.nan, np.nan], [1.0, 2.0], [3.0, 0.0]])
    >>> kernel = Linear(missing="mean", name="blood: linear").fit(X)
    >>> kernel.absent(X)
    array([ True, False, False])
    >>> K = kernel(X)
    >>> (K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()).round(6)[1] + 0
    array([ 0.,  2., -2.])
    """

    columns: Any
    name: Any
    scale: Any = False
    missing: Any = "error"

    _square: float | None
    _choices = ("error", "mean", "impute")
    _takes_labels = False
    # What to do with a column of text, if Overlap is no answer.
    _text_advice: str | None = None
    # Whether arrays of PyTorch, CuPy and others will do.
    _anywhere = False
    # What k(x, z) keeps when x and z are moved alike: "itself" (a kernel of distances),
    # "centred", the centred Gram matrix only, or None.
    _moving: str | None = None
    # Whether x − z is taken before all else, so that no origin loses digits.
    _direct = False
    # Whether k computes with the numbers, which then must not be too large.
    _computes = True
    # Whether sparse rows of few zeros become dense, and whether those fitted to did.
    _unpacks = _unpacked = False
    _origin: Any = None

    def fit(self, X: Any, table: Any = None, centred: bool = False) -> Kernel:
        """Resolve the columns, and what else depends on the training rows.

        Parameters
        ----------
        X : array of any kind, sparse matrix, DataFrame or MixedTable (n, d)
        table : DataFrame, optional
            What X was before it became an array: its names and types resolve columns.
        centred : bool
            Whether the Gram matrices will be centred, or will be used as if they were.
            A linear kernel of rows whose mean is 100 times their spread is then seen
            from the mean, (x − x̄)ᵀ(z − x̄), which loses no digits.
        """
        if table is None:
            table = X.numbers if isinstance(X, MixedTable) else X
        check_choice(self)
        check_scale(self)
        refuse_foreign(self, X)
        self.columns_ = None
        if self.columns is not None:
            self.columns_ = resolve_columns(self.columns, table, self.label)
        if not self._takes_labels:
            refuse_labels(self, table)
        self.column_names_ = column_names(table, self.columns_)
        self._fit_texts(X)
        self._unpacked = False
        Z = self._numbers(X)
        if self._unpacks and few_zeros(Z):
            self._unpacked, Z = True, Z.toarray()
        present = self._present(Z)
        self.n_present_ = int(np.sum(present))
        if self.n_present_ == 0:
            raise ValueError(
                f"kernel {self.label!r}: all {len(present)} training rows have missing "
                "values (NaN) in all of its columns: leave the kernel out"
            )
        Z = Z if present.all() else Z[present]
        if self.missing != "error":
            self.fill_ = self._fill(Z)
        complete = self._filled(Z)
        if self.scale:
            self._scaler = self._find_scale(Z)
        rows = self._scaled(complete)
        self._origin = None
        if self._moving == "itself" or (centred and self._moving == "centred"):
            self._origin = find_origin(self, rows)
        self._fit(self._from_origin(rows))
        if self.missing == "mean":
            # μ is the mean over these rows; the array is the caller's, not a copy.
            self._X_fit, self._is_present, self._square = X, present, None
            if not present.all():
                self._square = self._mean_square()
        return self

    def _find_scale(self, Z: Any) -> Any:
        if self.scale == "rank":
            return Ranks(Z)
        if is_foreign(Z):
            return fit_scaler(Z)
        return StandardScaler(with_mean=not issparse(Z)).fit(Z)

    def _fit_texts(self, X: Any) -> None:
        """Learn from the columns of text, if the kernel takes them."""

    def _fit(self, X: Any) -> None:
        """Learn widths and the like from the selected columns, seen from the origin."""
        self.learn(X)

    def learn(self, X: Any) -> None:
        """Learn from the kernel's columns of the training rows, if there is a need."""

    def _numbers(self, X: Any) -> Any:
        """The kernel's columns of X as they are."""
        self._check_fitted()
        if is_foreign(X):
            return foreign_numbers(self, X)
        X = X.numbers if isinstance(X, MixedTable) else X
        if self.columns_ is not None:
            X = X.iloc[:, self.columns_] if hasattr(X, "iloc") else X[:, self.columns_]
        if self.missing != "error" and issparse(X):
            refuse_sparse(self)
        if finite_numbers(X):
            return X
        options: Any = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
        Z = without_duplicates(check_array(plain_table(X), dtype=float, **options))
        return Z.toarray() if self._unpacked and issparse(Z) else Z

    def _check_fitted(self) -> None:
        if not hasattr(self, "columns_"):
            refuse_unfitted(self)

    def _present(self, Z: Any) -> Array:
        """Mask of the rows that are not absent."""
        if self.missing != "mean":
            return np.ones(Z.shape[0], dtype=bool)
        return ~np.all(np.isnan(Z), axis=1)

    def _fill(self, Z: Any) -> Array:
        """What stands for a missing entry, one number a column."""
        return medians(self, Z)

    def _filled(self, Z: Any) -> Any:
        """Z without missing entries; absent rows stay NaN."""
        if is_foreign(Z):
            refuse_foreign_gaps(self, Z)
        if self._computes and no_huge_numbers(self, Z) and self.missing == "error":
            return Z
        if is_foreign(Z):
            return Z
        if self.missing == "error":
            refuse_gaps(self, Z)
            return Z
        gaps = np.isnan(Z) & self._present(Z)[:, None]
        return np.where(gaps, self.fill_, Z) if gaps.any() else Z

    def _scaled(self, Z: Any) -> Any:
        if not self.scale:
            return Z
        if issparse(Z) and self._scaler.with_mean:
            refuse_sparse(self)
        if is_foreign(Z) and not isinstance(self._scaler, Ranks):
            return scale_foreign(self._scaler, Z)
        return self._scaler.transform(Z)

    def _from_origin(self, Z: Any) -> Any:
        """Rows that `select` returned, seen from the kernel's origin."""
        return Z if self._origin is None else moved(self, Z)

    def select(self, X: Any) -> Any:
        """The kernel's columns of X, as an array or a sparse matrix of numbers.

        Scaled and filled, if the kernel does so; the rows that are absent hold NaN.
        """
        return self._scaled(self._filled(self._numbers(X)))

    def absent(self, X: Any) -> Array:
        """Mask (m,) of the rows that have none of the kernel's columns (all NaN)."""
        Z = self._numbers(X)
        none = np.zeros(Z.shape[0], dtype=bool)
        return none if issparse(Z) else np.all(np.isnan(Z), axis=1)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """The Gram matrix of the rows of X, or of X against Y."""
        X = self.select(X)
        return self.between(X, X if Y is None else self.select(Y))

    @property
    def selection(self) -> tuple[Any, ...]:
        """Fitted kernels of equal ones select the same of the same rows."""
        columns = None if self.columns_ is None else tuple(self.columns_)
        how = type(self)._numbers, type(self).select
        return (*how, columns, self.scale, self.missing)

    def between(self, X: Any, Y: Any) -> Array:
        """The Gram matrix of rows that `select` returned."""
        here, there = self._present(X), self._present(Y)
        whole = here.all() and there.all()
        return self._gram(X, Y) if whole else with_absent(self, X, Y, here, there)

    def _to_mean(self, X: Array) -> Array:
        """⟨φ(x), μ⟩ for rows that `select` returned, none of them absent."""
        return self._gram(X, self.select(self._X_fit)[self._is_present]).mean(axis=1)

    def _mean_square(self) -> float:
        """‖μ‖²; kept if training rows are absent, for then every new one asks."""
        if self._square is not None:
            return self._square
        Z = self.select(self._X_fit)[self._is_present]
        return float(np.mean(self._to_mean(Z)))

    def _gram(self, X: Any, Y: Any) -> Array:
        """The Gram matrix of rows that `select` returned, none of them absent."""
        return self.compare(X, Y)

    def compare(self, X: Any, Y: Any) -> Array:
        """k(x, z) of rows of the kernel's columns, (m, n): what a kernel defines."""
        raise TypeError(f"{type(self).__name__} must define compare(X, Y)")

    def diagonal(self, X: Any) -> Array:
        """k(x, x) for every row of X."""
        X = self.select(X)
        present = self._present(X)
        if present.all():
            return self._diagonal(X)
        out = np.full(len(X), self._mean_square())
        if present.any():
            out[present] = self._diagonal(X[present])
        return out

    def _diagonal(self, X: Any) -> Array:
        """k(x, x) of rows that `select` returned, none of them absent."""
        return np.array(
            [self._gram(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])]
        )

    @property
    def label(self) -> str:
        """The name in tables and messages: `name`, or the kernel as it was written."""
        return label_of(self)
