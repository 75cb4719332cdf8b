"""kernelweave plan"""

import json

import pytest

BILLION = ("plan", "--rows", "1e9", "--kernels", "10", "--components", "200")


def test_a_billion_rows(run):
    code, out, err = run(*BILLION, "--nodes", "100")
    assert (code, err) == (0, "")
    assert "2000 features" in out
    assert "100 nodes of 16 cores" in out
    assert "80 EB" in out


def test_json(run):
    facts = json.loads(run(*BILLION, "--nodes", "100", "--json")[1])
    assert facts["features"] == 2000
    assert facts["bytes"]["sums"] == 5 * 8 * 2003**2
    seconds = facts["seconds"]
    parts = ("reading", "features", "products", "adding", "solving")
    assert seconds["all"] == pytest.approx(sum(seconds[part] for part in parts))


def test_a_given_speed(run):
    slow, fast = (
        json.loads(run(*BILLION, "--gflops", speed, "--json")[1]) for speed in (10, 20)
    )
    assert fast["node"]["flops"] == 20e9
    assert slow["seconds"]["products"] == 2 * fast["seconds"]["products"]


def test_a_measured_speed(run):
    small = ("plan", "--rows", "1e6", "--components", "20", "--cores", "2")
    code, out, _ = run(*small, "--measure", "--read", "500")
    assert code == 0
    assert out.count("measured here") == 2
    assert "500 MB/s a node, given" in out


def test_notes(run):
    assert "--block 6250" in run("plan", "--rows", "1e6", "--nodes", "10")[2]
    assert "2000 features are not few" in run("plan", "--rows", "3000")[2]
    sums = run("plan", "--rows", "1e8", "--nodes", "100", "--block", "1000")[2]
    assert "blocks of more rows" in sums


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--rows"),
        (["--rows", "0"], "rows must be a number of at least 1"),
        (["--rows", "1e6", "--read", "-1"], "read must be a positive number"),
        (["--rows", "1e6", "--nodes", "0"], "nodes must be at least 1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run, arguments, message):
    code, _, err = run("plan", *arguments)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
