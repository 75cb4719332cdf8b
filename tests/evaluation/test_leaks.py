"""Columns of a table that are the target."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import evaluate
from kernelweave.kernels import Linear


def test_a_copy_of_the_classes_draws_a_warning():
    X, y = load_wine(return_X_y=True, as_frame=True)
    leaky = X.assign(outcome=2.5 * y)
    with pytest.warns(UserWarning, match="'outcome' has one value for each class"):
        evaluate(MKLDiscriminantAnalysis([Linear(scale=True)]), leaky, y)


def test_a_copy_of_numbers_draws_a_warning():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    with pytest.warns(UserWarning, match="'same' equals the target"):
        evaluate(MKLRidge([Linear(scale=True)]), X.assign(same=y), y)


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray])
def test_other_tables_draw_none(kind):
    X, y = load_wine(return_X_y=True, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(MKLDiscriminantAnalysis([Linear(scale=True)]), kind(X), y)
