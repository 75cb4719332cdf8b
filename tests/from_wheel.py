"""README, `kernelweave demo` and every page of the guide, from the installed wheel.

Run as a program, with a Python that has the wheel and its tests' packages, but not this
folder: `make test-pages`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import kernelweave

HERE = Path(__file__).resolve().parent
installed = Path(kernelweave.__file__).resolve()
if HERE.parent / "src" in installed.parents:
    sys.exit(f"this is not the wheel: {installed}")
print(f"kernelweave {kernelweave.__version__} from {installed.parent}")

with tempfile.TemporaryDirectory() as folder:
    command = Path(sys.executable).with_name("kernelweave")
    demo = [str(command), "demo", *sys.argv[1:]]
    print("$ kernelweave demo", flush=True)
    subprocess.run(demo, cwd=folder, check=True)

options = ["-q", "-c", "/dev/null", "--rootdir", str(HERE), "-p", "no:cacheprovider"]
files = [str(HERE / "test_docs.py"), str(HERE.parent / "README.md")]
status = pytest.main(
    [*options, "--import-mode=importlib", "--doctest-glob=README.md", *files]
)
sys.exit(status)
