"""The first page is as short as it says. What it says is run by test_docs.py."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "start.md").read_text("utf-8")


def test_twelve_lines_of_python_and_five_commands():
    lines = re.findall(r"^(?:>>>|\.\.\.) .*$", PAGE, re.M)
    assert len(lines) <= 12
    script = "\n".join(line[4:] for line in lines)
    for step in ("evaluate(", "view_importance(", "write_report(", ".predict("):
        assert step in script
    commands = re.findall(r"^\$ kernelweave (\w+)", PAGE, re.M)
    assert commands == ["evaluate", "fit", "importance", "report", "predict"]
