"""Settings that all tests share."""

import numpy  # noqa: F401  its BLAS must be there to be limited
import pytest
import scipy.linalg  # noqa: F401
from hypothesis import settings
from threadpoolctl import threadpool_limits

# verify.py asserts too: show the values when it fails.
pytest.register_assert_rewrite("verify")

# Programs for environments that have the wheel: `make test-wheel`, `make test-pages`.
collect_ignore = ["bare.py", "from_wheel.py"]

# The tests run side by side, and two threads of BLAS wait for each other there.
threadpool_limits(1, "blas")


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    """No test reaches OpenML."""

    def refuse(number):
        raise OSError("no network in tests")

    monkeypatch.setattr("kernelweave.openml._fetch", refuse)


# The same examples every time, and no time limit on a busy machine.
settings.register_profile("kernelweave", derandomize=True, deadline=None)
settings.load_profile("kernelweave")
