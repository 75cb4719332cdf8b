"""Columns of text that automatic kernels refuse, whoever reads the table."""

import numpy as np
import pandas as pd
import pytest

from kernelweave import MKLSVC, MKLDiscriminantAnalysis
from kernelweave.views import kernels_for

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
GOOD = pd.DataFrame({"age": RNG.normal(50, 9, 40), "weight": RNG.normal(70, 9, 40)})

DATES = [f"{1 + i % 28:02d}/09/20{10 + i % 9}" for i in range(40)]
NAMES = [f"patient-{i}" for i in range(40)]
SLIPS = [*map(str, RNG.integers(20, 80, 39)), "unknown"]


BAD = {
    "dates": (DATES, "holds dates or times as text, such as '01/09/2010'"),
    "names": (NAMES, "has another text in every row, such as 'patient-0'"),
    "slips": (SLIPS, "holds numbers, but also the text 'unknown'"),
    "empty text": ([None] * 40, "leave it out"),
    "empty numbers": ([np.nan] * 40, "leave it out"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("estimator", [MKLDiscriminantAnalysis, MKLSVC])
def test_a_column_that_is_no_category(bad, estimator):
    values, message = BAD[bad]
    table = GOOD.assign(odd=values, group=list("abcd") * 10)
    with pytest.raises(ValueError, match=f"column 'odd'.*{message}"):
        estimator().fit(table, Y)


@pytest.mark.parametrize("bad", ["slips", "empty text", "empty numbers"])
def test_a_column_of_several_tables(bad):
    values, message = BAD[bad]
    tables = {"clinic": GOOD.assign(odd=values), "other": GOOD}
    with pytest.raises(ValueError, match=f"column 'clinic: odd'.*{message}"):
        MKLDiscriminantAnalysis().fit(tables, Y)


def test_what_is_said_to_be_a_category_is_one():
    table = GOOD.assign(odd=pd.Categorical(DATES), plain=pd.Categorical(NAMES))
    assert MKLDiscriminantAnalysis().fit(table, Y).score(table, Y) > 0.5
    plain = GOOD.assign(odd=NAMES)
    names = [
        k.label
        for k in kernels_for(plain, {"odd": ["odd"]}, kinds={"odd": "categorical"})
    ]
    assert names == ["odd: overlap"]


def test_codes_that_are_written_as_text_are_categories():
    table = GOOD.assign(code=[str(i % 4) for i in range(40)])
    labels = MKLDiscriminantAnalysis().fit(table, Y).kernel_names_
    assert any("overlap" in label for label in labels)
