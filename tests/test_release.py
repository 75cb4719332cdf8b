"""What a release says of itself is the same everywhere."""

import re
import tomllib
from pathlib import Path

import pytest

import kernelweave
from kernelweave.extras import EXTRAS
from kernelweave.versions import BASE

ROOT = Path(__file__).parents[1]


def project(folder="."):
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]


def test_both_packages_are_for_the_same_pythons():
    here, papers = project(), project("papers")
    assert here["requires-python"] == papers["requires-python"]
    versions = [
        {line for line in of["classifiers"] if "Python ::" in line}
        for of in (here, papers)
    ]
    assert versions[0] == versions[1]


def name_of(requirement):
    return re.match(r"[\w-]+", requirement).group()


@pytest.mark.parametrize(
    "file, pattern",
    [
        ("pyproject.toml", r'^version = "(.*)"$'),
        ("papers/pyproject.toml", r'^version = "(.*)"$'),
        ("CITATION.cff", r"^version: (.*)$"),
        ("conda/meta.yaml", r'set version = "(.*)"'),
        ("docs/citing.md", r"version = \{(.*)\}"),
    ],
)
def test_one_version(file, pattern):
    found = re.findall(pattern, (ROOT / file).read_text("utf-8"), re.M)
    assert found == [kernelweave.__version__]


def test_show_versions_names_what_is_asked_for(capsys):
    assert [name_of(line) for line in project()["dependencies"]] == list(BASE)
    kernelweave.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["kernelweave", kernelweave.__version__]
    shown = {line.split()[0] for line in lines}
    assert {*BASE, "numba", "openpyxl", "pandas", "polars", "python"} <= shown
    # Nothing is said of a version that is not known: OpenMP has none.
    assert not any(re.search(r" ,|None", line) for line in lines)


def test_extras_have_what_their_messages_promise():
    extras = project()["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert package.replace("_", "-") in map(name_of, extras[extra])


def test_the_recipe_asks_for_the_same():
    recipe = (ROOT / "conda/meta.yaml").read_text("utf-8")
    extras = project()["optional-dependencies"]
    for line in (*project()["dependencies"], *extras["fast"], *extras["tables"]):
        name, bound = re.match(r"([\w-]+)(.*)", line).groups()
        assert f"- {name} {bound}\n" in recipe


def test_the_base_is_imported_without_what_it_does_not_need():
    import subprocess
    import sys

    heavy = ("numba", "clarabel", "skops", "matplotlib", "cvxpy", "dask")
    script = (
        "import sys, kernelweave, kernelweave.cli, kernelweave.persist;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_links_of_the_readme_hold_on_pypi():
    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)|^\[[^]]+\]: (\S+)$", text, re.M)
    targets = [a or b for a, b in links]
    assert targets and all(target.startswith("https://") for target in targets)
    ours = "https://github.com/kernelweave/kernelweave/blob/main/"
    for target in targets:
        if target.startswith(ours):
            assert (ROOT / target.removeprefix(ours)).is_file(), target
