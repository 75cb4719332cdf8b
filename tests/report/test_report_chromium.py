"""Reports in a real browser: no errors, no network, room on a phone, sorting."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from chromium import Chromium, executable
from kernelweave import MKLSVC, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import evaluate
from kernelweave.importance import view_importance
from kernelweave.kernels import RBF, Linear
from kernelweave.report import write_report
from kernelweave.report.facts import facts_of

pytestmark = pytest.mark.skipif(executable() is None, reason="there is no Chromium")

X, y = load_iris(return_X_y=True)
KERNEL_TABLE = 'document.querySelector("#made table.sortable")'
EVIL = "<script>window.evil = 1</script><b>view</b>"
FEW = {"n_subsamples": 3, "n_permutations": 2}
LONG = "a view whose name goes on_and_on_without_any_place_to_break_it_anywhere"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    small = [
        RBF(columns=[0, 1], name="sepal: rbf"),
        Linear(columns=[0, 1], name="sepal: linear"),
        RBF(columns=[2, 3], name=f"{LONG}: rbf"),
    ]
    large = [
        RBF(columns=[j % 4], factor=0.1 + j / 20, name=f"part {j % 4}: {j}")
        for j in range(60)
    ]
    paths = {}
    for name, kernels in (("small", small), ("large", large)):
        model = MKLDiscriminantAnalysis(kernels).fit(X, y)
        evaluation = evaluate(model, X, y, cv=2) if name == "small" else None
        importance = view_importance(model, X, y, **FEW)
        options = {"evaluation": evaluation, "command": "kernelweave " + 40 * LONG}
        options["importance"] = importance
        paths[name] = write_report(model, X, y, folder / f"{name}.html", **options)
    kernels = [RBF(columns=[0, 1], name=f"{EVIL}: rbf"), RBF(columns=[2], name="petal")]
    labels = np.where(y == 0, EVIL, "\N{RIGHT-TO-LEFT OVERRIDE}fine")
    for name, model, rows, target in (
        ("two", MKLSVC(kernels), X, labels),
        ("numbers", MKLRidge(kernels), X[:, :3], X[:, 3]),
    ):
        evaluation = evaluate(model.fit(rows, target), rows, target, cv=2)
        options = {
            "evaluation": evaluation,
            "importance": view_importance(model, rows, target, **FEW),
        }
        path = folder / f"{name}.html"
        paths[name] = write_report(model, rows, target, path, **options)
    return paths


def test_names_are_shown_as_text(browser, reports):
    """Markup in names is text, and marks of direction stay inside their own words."""
    browser.open(reports["two"])
    assert browser.ask("window.evil") is None
    assert browser.ask('document.querySelectorAll("main script").length') == 0
    bold = browser.ask('[...document.querySelectorAll("b")].map(e => e.textContent)')
    assert "view" not in bold
    words = browser.ask("document.body.innerText")
    assert EVIL in words
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in words
    assert "fine" in words


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["small", "large", "two", "numbers"])
def test_quiet_alone_and_not_too_wide(browser, reports, name, width, scheme):
    browser.open(reports[name], width, prefers_color_scheme=scheme)
    assert browser.complaints() == []
    first, *rest = browser.requests()
    assert first == reports[name].as_uri()
    assert all(url.startswith("data:") for url in rest)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    # Nothing that may not scroll is cut off at the right edge either.
    outside = browser.ask(
        """[...document.querySelectorAll("p, h1, h2, li, figure, .picture text")]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.textContent)"""
    )
    assert outside == []


def test_small_text_is_readable_on_a_phone(browser, reports):
    browser.open(reports["small"], 390)
    sizes = browser.ask(
        """[...document.querySelectorAll("text")].filter(e => e.getClientRects().length)
        .map(e => parseFloat(getComputedStyle(e).fontSize)
                  * Math.sqrt(Math.abs(e.getScreenCTM().a * e.getScreenCTM().d)))"""
    )
    assert min(sizes) >= 9.5


def test_text_has_contrast(browser, reports):
    """WCAG AA: 4.5 to 1 for text on its background, in both schemes."""
    for scheme in ("light", "dark"):
        browser.open(reports["small"], 1280, prefers_color_scheme=scheme)
        ratios = browser.ask(
            """(() => {
            const light = (colour) => {
              const [r, g, b] = colour.match(/[\\d.]+/g).map(v => v / 255)
                .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const behind = (e) => {
              for (; e; e = e.parentElement) {
                const colour = getComputedStyle(e).backgroundColor;
                if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
              }
              return "rgb(255, 255, 255)";
            };
            return [...document.querySelectorAll(
                "p, h1, h2, h3, a, th, td, figcaption, caption, dt, dd, pre, li")]
              .filter(e => !e.classList.contains("skip"))
              .map(e => {
                const pair = [getComputedStyle(e).color, behind(e)].map(light).sort();
                return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
              });
            })()"""
        )
        assert len(ratios) > 50
        assert min(ratios) >= 4.5


def test_tables_sort(browser, reports):
    browser.open(reports["large"])
    column = f"""[...{KERNEL_TABLE}.querySelectorAll("tbody tr")]
        .map(row => parseFloat(row.cells[{{}}].textContent))"""
    button = KERNEL_TABLE + '.querySelectorAll("th button")[{}]'
    weights = browser.ask(column.format(2))
    assert len(weights) == 60
    assert weights == sorted(weights, reverse=True)
    browser.ask(button.format(0) + ".click()")
    assert browser.ask(column.format(0)) == list(range(60, 0, -1))
    browser.ask(button.format(0) + ".click()")
    assert browser.ask(column.format(0)) == list(range(1, 61))
    sorting = f"""[...{KERNEL_TABLE}.querySelectorAll("thead th")]
        .map(head => head.getAttribute("aria-sort"))"""
    assert browser.ask(sorting) == ["ascending", None, None, None]
    browser.ask(button.format(1) + ".click()")
    names = browser.ask(
        f"""[...{KERNEL_TABLE}.querySelectorAll("tbody tr")]
        .map(row => row.cells[1].textContent)"""
    )
    assert names[:2] == ["part 0: 0", "part 0: 4"]
    assert browser.complaints() == []


def test_legend_picks_out_a_class(browser, reports):
    browser.open(reports["small"])
    dim = 'document.querySelectorAll(".plot .mark.dim").length'
    browser.ask('document.querySelectorAll(".legend button")[1].click()')
    assert browser.ask(dim) == 100
    browser.ask('document.querySelectorAll(".legend button")[1].click()')
    assert browser.ask(dim) == 0


def test_points_stand_where_the_axes_say(browser, reports):
    """Pixels of marks and of tick labels are the same function of their values."""
    browser.open(reports["small"])
    ticks, marks = browser.ask(
        """(() => {
        const middle = e => { const r = e.getBoundingClientRect();
                              return (r.top + r.bottom) / 2; };
        const plane = [...document.querySelectorAll("#errors .marks")].at(-1);
        const ticks = [...plane.querySelectorAll("text")]
          .map(e => [parseFloat(e.textContent.replace("−", "-")), middle(e)]);
        const marks = [...plane.querySelectorAll(".mark.c0 path")]
          .map(e => middle(e));
        return [ticks, marks];
        })()"""
    )
    values, pixels = np.array(ticks).T
    slope, offset = np.polyfit(pixels, values, 1)
    kernels = [
        RBF(columns=[0, 1], name="a"),
        Linear(columns=[0, 1], name="b"),
        RBF(columns=[2, 3], name="c"),
    ]
    model = MKLDiscriminantAnalysis(kernels).fit(X, y)
    facts = facts_of(model, X, y, None, view_importance(model, X, y, **FEW))
    axes = LinearDiscriminantAnalysis(n_components=2).fit(facts.projections, y)
    Z = axes.transform(facts.projections)
    seen = slope * np.array(marks) + offset
    room = np.ptp(Z[:, 1]) / 100
    np.testing.assert_allclose(np.sort(seen), np.sort(Z[y == 0, 1]), atol=2 * room)


def test_readable_without_script(browser, reports):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(reports["small"], 390)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.ask('document.querySelectorAll("button").length') == 0
    words = browser.ask("document.body.innerText")
    assert "The combination" in words
    assert "Proved optimal" in words


def test_prints(browser, reports):
    browser.open(reports["large"])
    browser.call("Emulation.setEmulatedMedia", media="print")
    shown = browser.ask(
        f"""[...{KERNEL_TABLE}.querySelectorAll("tbody tr")]
        .filter(row => row.getClientRects().length).length"""
    )
    assert shown == 40
    assert browser.ask('getComputedStyle(document.querySelector("nav")).display') == (
        "none"
    )
    browser.call("Emulation.setEmulatedMedia", media="")
    assert browser.pdf().startswith(b"%PDF-")
