"""Bars for terminals."""

from kernelweave.plots import text_bar


def test_text_bar():
    assert text_bar(0) == "" and text_bar(1, 4) == text_bar(2, 4) == "████"
    assert text_bar(0.5, 1) == "▌"
