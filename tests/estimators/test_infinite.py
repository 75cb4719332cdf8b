"""An infinite number is named by its column and row."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from kernelweave import MKLRidge
from kernelweave.kernels import RBF, Linear

GOOD = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
GOOD.index = [f"s{i}" for i in range(20)]
BAD = GOOD.copy()
BAD.loc[["s7", "s4"], "b"] = np.inf
Y = GOOD["a"].to_numpy()
NAMED = r"column 'b' is infinite in 2 rows, such as s4: correct it, or write NaN"


@pytest.mark.parametrize(
    "kernels", [None, [RBF(columns=["b"], name="b"), Linear(name="l")]]
)
def test_a_column_of_a_frame(kernels):
    with pytest.raises(ValueError, match=NAMED):
        MKLRidge(kernels).fit(BAD, Y)
    model = MKLRidge(kernels).fit(GOOD, Y)
    with pytest.raises(ValueError, match=NAMED):
        model.predict(BAD)


def test_beside_text_and_in_one_of_several_tables():
    with pytest.raises(ValueError, match=NAMED):
        MKLRidge().fit(BAD.assign(sex=list("fm") * 10), Y)
    with pytest.raises(ValueError, match="column 'v: b' is infinite in 2 rows"):
        MKLRidge().fit({"v": BAD, "w": GOOD}, pd.Series(Y, BAD.index))


def test_tables_without_names():
    with pytest.raises(ValueError, match=r"column 1 \(from 0\) is infinite in 2 rows"):
        MKLRidge().fit(BAD.to_numpy(), Y)
    with pytest.raises(ValueError, match=r"column 1 \(from 0\) is infinite in 2 rows"):
        MKLRidge([Linear()]).fit(csr_array(BAD.to_numpy()), Y)


def test_a_frame_of_polars():
    pl = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="column 'b' is infinite in 2 rows, such as 4"):
        MKLRidge().fit(pl.DataFrame(BAD.to_dict("list")), Y)
