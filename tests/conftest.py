"""Settings that all tests share."""

import pytest
from hypothesis import settings

# verify.py asserts too: show the values when it fails.
pytest.register_assert_rewrite("verify")

# The same examples every time, and no time limit on a busy machine.
settings.register_profile("kernelweave", derandomize=True, deadline=None)
settings.load_profile("kernelweave")
