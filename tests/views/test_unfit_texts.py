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
    "months": ([f"20{i % 9:02d}-{1 + i % 12:02d}" for i in range(40)], "'2000-01'"),
    "short years": ([f"{1 + i % 28:02d}/12/33" for i in range(40)], "dates or times"),
    "numbers": ([f"{71.1 + i / 10:.1f}" for i in range(40)], "such as '71.1'.*to_num"),
    "many whole": ([str(40 + i) for i in range(40)], "to_numeric; if these are codes"),
    "commas": ([f"{i},1" for i in range(40)], "such as '0,1', 40 different ones"),
    "a unit": ([f"{i // 2}.1 kg" for i in range(0, 80, 2)], r"str.replace .* category"),
    "thousands": ([f"1,{400 + i}" for i in range(40)], "'1,400'"),
    "a currency": ([f"$7,{110 + i}" for i in range(40)], "such as '.7,110'"),
    "per cent": ([f"{i}%" for i in range(40)], "'0%'"),
    "times": ([f"{i % 24:02d}:{i:02d}" for i in range(40)], "turn it into hours"),
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


@pytest.mark.parametrize("example", ["1.5", "0,3", "12%", "5 mg", "$90", "14:30"])
def test_few_numbers_that_are_written_as_text_draw_a_warning(example):
    values = [example, example.translate(str.maketrans("1509", "0218"))] * 20
    table = GOOD.assign(odd=values)
    with pytest.warns(UserWarning, match="column 'odd' holds .* that are written as"):
        MKLDiscriminantAnalysis().fit(table, Y)
    table["odd"] = table["odd"].astype("category")
    assert MKLDiscriminantAnalysis().fit(table, Y).score(table, Y) > 0.5


def test_many_whole_numbers_that_come_back_draw_a_warning():
    table = pd.concat([GOOD] * 3, ignore_index=True)
    ages = [str(20 + i % 50) for i in range(120)]
    with pytest.warns(UserWarning, match=r"such as '20', 50 different .*to_numeric;"):
        kernels_for(table.assign(age=ages))


CODES = {
    "stages": ["T1", "T2", "T3"],
    "roman": ["IIb", "III", "IV"],
    "plus": ["0", "1+", "2+", "3+"],
    "ages": ["10-20", "20-30", "30-40"],
    "ordinals": ["1st", "2nd", "3rd"],
    "whole": ["1", "2", "3"],
    "padded": [f"{i:03d}" for i in range(20)],
    "diagnoses": ["E11", "I10", "250"],
    "versions": ["v1.2", "v1.3"],
    "years": ["2019/20", "2020/21", "2021/22"],
    "arms": ["12p", "17q", "5q", "3p"],
}


@pytest.mark.parametrize("kind", CODES)
def test_codes_are_no_numbers(kind):
    values = (CODES[kind] * 40)[:40]
    labels = [k.label for k in kernels_for(GOOD.assign(odd=values))]
    assert labels[-1] == "all: overlap"


def test_codes_that_are_written_as_text_are_categories():
    table = GOOD.assign(code=[str(i % 4) for i in range(40)])
    labels = MKLDiscriminantAnalysis().fit(table, Y).kernel_names_
    assert any("overlap" in label for label in labels)
