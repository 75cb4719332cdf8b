"""Times to an event, counts and probabilities on the command line."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelweave import persist
from kernelweave.survival import concordance_index

SURVIVAL = ["--id", "sample", "--time", "os_months", "--event", "dead"]


@pytest.fixture
def lives(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 70
    ids = [f"p{i}" for i in range(n)]
    clinic = pd.DataFrame(
        {"sample": ids, "age": rng.normal(60, 9, n), "stage": rng.normal(size=n)}
    )
    rna = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    risk = (clinic.age - 60) / 9 + rna.a
    death, end = 20 * rng.exponential(np.exp(-risk)), 40 * rng.random(n)
    clinic["os_months"] = np.minimum(death, end).round(1)
    clinic["dead"] = np.where(death <= end, "yes", "no")
    clinic["visits"] = rng.poisson(np.exp(0.5 * risk))
    rna.insert(0, "sample", ids)
    clinic.to_csv("clinic.csv", index=False)
    rna.to_csv("rna.csv", index=False)
    return clinic


def test_times_after_the_last_event_are_told_of(lives, run):
    assert run("fit", "clinic.csv", *SURVIVAL, "-o", "m.skops")[0] == 0
    last = lives.os_months[lives.dead == "yes"].max()
    at = f"6,{last:g},1000"
    code, out, err = run("predict", "m.skops", "clinic.csv", "--at", at)
    assert code == 0, err
    words = " ".join(err.split())
    assert f"after the last event that the model learned from (time {last:g})" in words
    assert "nothing is known of time 1000" in words
    # The answer itself stays a table.
    table = pd.read_csv(io.StringIO(out))
    assert (table["S(1000)"] == table[f"S({last:g})"]).all()


def test_fit_and_predict(lives, run):
    drop = ["--drop", "visits"]
    code, out, err = run(
        "fit", "clinic.csv", "rna.csv", *SURVIVAL, *drop, "-o", "m.skops"
    )
    assert code == 0, err
    assert "who is at risk, os_months, from 70 samples" in out
    assert "Concordance of left-out samples" in out
    events = int((lives.dead == "yes").sum())
    assert f"dead was seen in {events} of 70 rows" in " ".join(err.split())
    remembered = persist.metadata("m.skops")
    assert remembered["event"] == "dead" and remembered["task"] == "survival"
    assert not any("dead" in c or "os_months" in c for c in remembered["columns"])
    code, out, err = run(
        "predict", "m.skops", "clinic.csv", "rna.csv", "--at", "6,12", "-o", "p.csv"
    )
    assert code == 0, err
    found = pd.read_csv("p.csv")
    assert list(found.columns) == ["sample", "risk", "S(6)", "S(12)"]
    assert (found["S(12)"] <= found["S(6)"]).all()
    assert "after the last event" not in err
    index = concordance_index(lives.dead == "yes", lives.os_months, found.risk)
    assert f"concordance {index:.4f} on 70 rows" in err
    lives.drop(columns=["os_months", "dead"]).to_csv("clinic.csv", index=False)
    code, out, err = run("predict", "m.skops", "clinic.csv", "rna.csv")
    assert code == 0 and "concordance" not in err and "risk" in out


def test_json(lives, run):
    code, out, _ = run(
        "fit", "clinic.csv", "rna.csv", *SURVIVAL, "--drop", "visits", "--json"
    )
    facts = json.loads(out)
    assert code == 0 and facts["task"] == "survival" and facts["classes"] is None
    assert facts["left_out_concordance"] > 0.55 and facts["alpha"] > 0
    assert facts["events"] == int((lives.dead == "yes").sum())


def test_evaluate_and_report(lives, run):
    options = [*SURVIVAL, "--drop", "visits", "--norm", "2"]
    code, out, err = run("evaluate", "clinic.csv", "rna.csv", *options, "--folds", "3")
    assert code == 0, err
    assert "concordance, 3 folds" in out and "clinic alone" in out
    run("fit", "clinic.csv", "rna.csv", *options, "-o", "m.skops")
    code, out, err = run(
        "report", "m.skops", "clinic.csv", "rna.csv", "-o", "r.html", "--folds", "3"
    )
    assert code == 0, err
    page = Path("r.html").read_text("utf-8")
    assert "the model learned to say who is at risk" in page
    assert "Kaplan" in page and page.count('class="curve c') == 6
    assert "Samples whose time surprises most" in page
    assert "censored" in page and "concordance" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time", "os_months"], "--time goes with --event"),
        (["--event", "dead"], "--event goes with --time"),
        ([], "what is to be predicted? Pass --target COLUMN, or --time"),
        (["--time", "os_months", "--event", "os_months"], "are the same column"),
        (
            ["--time", "os_months", "--event", "dead", "--target", "age"],
            "leave --target",
        ),
        (["--time", "os_months", "--event", "age"], "write 1 where the event was seen"),
        (["--time", "stage", "--event", "dead"], "--time stage is negative"),
        (["--time", "dead", "--event", "dead2"], "there is no target column 'dead2'"),
        (["--time", "sample", "--event", "dead"], "is the id column"),
        (
            ["--time", "os_months", "--event", "dead", "--positive", "maybe"],
            "dead has no such value; it has",
        ),
        (
            ["--time", "os_months", "--event", "dead", "--components", "9"],
            "--components goes with --task classify and regress",
        ),
        (["--target", "stage", "--task", "count"], "stage is negative"),
    ],
)
def test_what_cannot_be(lives, run, options, message):
    code, _, err = run("fit", "clinic.csv", "--id", "sample", *options)
    assert code == 2 and message in " ".join(err.split())


def test_rows_that_lack_times_and_events_by_name(lives, run):
    lives["dead"] = np.where(lives.dead == "yes", "1:DECEASED", "0:LIVING")
    lives.loc[3, "os_months"] = np.nan
    lives.to_csv("clinic.csv", index=False)
    options = [*SURVIVAL, "--norm", "2", "--drop", "visits"]
    code, _, err = run(
        "fit", "clinic.csv", *options, "--positive", "1:DECEASED", "-o", "m.skops"
    )
    assert code == 0, err
    assert "1 row without os_months or dead, left out" in " ".join(err.split())
    code, _, err = run("predict", "m.skops", "clinic.csv", "-o", "p.csv")
    assert code == 0 and "on 69 rows" in err
    lives["dead"] = "0"
    lives.to_csv("clinic.csv", index=False)
    code, _, err = run("fit", "clinic.csv", *options)
    assert code == 2 and "no event was seen" in " ".join(err.split())


def test_counts_and_probabilities(lives, run):
    options = ["clinic.csv", "--id", "sample", "--drop", "os_months"]
    code, out, err = run(
        "fit",
        *options,
        "--target",
        "visits",
        "--task",
        "count",
        "--drop",
        "dead",
        "-o",
        "m.skops",
    )
    assert code == 0, err
    code, out, err = run("predict", "m.skops", "clinic.csv", "-o", "p.csv")
    assert code == 0 and (pd.read_csv("p.csv").visits > 0).all() and "R²" in err
    code, out, err = run(
        "fit", *options, "--target", "dead", "--task", "probability", "--json"
    )
    facts = json.loads(out)
    assert code == 0 and facts["classes"] == ["no", "yes"] and facts["C"] > 0
    assert 0 < facts["left_out_log_loss"] < 1
    code, _, err = run("predict", "m.skops", "clinic.csv", "--at", "3")
    assert code == 2 and "--time and --event" in " ".join(err.split())
