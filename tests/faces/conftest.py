"""Counts the tests that are left out because a package is missing.

With EMBD_ALL_PACKAGES in the environment, as in the scripts that install the packages, such a test fails instead.
"""

from __future__ import annotations

import os

import pytest


def left_out(reporter: pytest.TerminalReporter) -> list[str]:
    """Returns the places of the calls of importorskip() that found no package."""
    reports = [report.longrepr for report in reporter.stats.get("skipped", [])]
    return [f"{report[0]}:{report[1]}" for report in reports if isinstance(report, tuple) and "could not import" in report[2]]


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and left_out(reporter) and "EMBD_ALL_PACKAGES" in os.environ:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    places = left_out(terminalreporter)
    if places:
        terminalreporter.write_line(f"{len(places)} left out, because a package is missing: {', '.join(places)}")
