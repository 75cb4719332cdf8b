"""A short run of tests/fuzz.py: the same draws every time."""

import fuzz


def test_no_wrong_answer():
    found = []
    counts, wrong = fuzz.run(range(100), report=found.append)
    assert not wrong, "\n".join(found)
    # The draws do reach every loss, and most of them an optimum.
    assert len({name for name, _ in counts}) >= 7
    assert sum(n for (_, how), n in counts.items() if how == "OPTIMAL") > 50


def test_a_wrong_answer_is_noticed(monkeypatch):
    """A lower bound that is too high by a thousandth is called WRONG."""
    dual = fuzz.Problem.dual

    def higher(self, *arguments):
        point = dual(self, *arguments)
        return type(point)(point.A, point.value + 1e-3 * abs(point.value))

    monkeypatch.setattr(fuzz.Problem, "dual", higher)
    assert fuzz.run(range(20), report=lambda text: None)[1]
