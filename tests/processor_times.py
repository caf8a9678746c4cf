"""Processor time of tests, with that of the programs they start, for ``--processor-times``.

Time on the clock says little where several workers, or several people, share a machine.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

import pytest

PHASES = ("setup", "call", "teardown")
LONG = 5.0
"""Processor time of a call above which a test says in its docstring what needs it, s."""


def spent() -> float:
    """Return the processor time of this process and of all its programs that have ended, in s."""
    return sum(os.times()[:4])


class ProcessorTimes:
    """Notes what each phase of each test takes, and lists the dearest tests at the end.

    Parameters
    ----------
    least : float
        Tests below this are not listed, in seconds.
    """

    def __init__(self, least: float) -> None:
        self.least = least
        self.times: dict[str, dict[str, float]] = defaultdict(dict)
        self.silent: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        """Put what a phase has taken on its report, which workers send to the process they have."""
        report = yield
        now = spent()
        report.processor_time = now - self._before
        report.says_why = bool(getattr(getattr(item, "function", None), "__doc__", None))
        self._before = now
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Begin with a test."""
        self._before = spent()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect reports, those of workers too."""
        took = getattr(report, "processor_time", 0.0)
        self.times[report.nodeid][report.when] = took
        if report.when == "call" and took > LONG and not getattr(report, "says_why", True):
            self.silent.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the sum, the dearest tests by phases, and which long ones do not say why."""
        totals = {name: sum(phases.values()) for name, phases in self.times.items()}
        terminalreporter.section("processor time, s: setup, call, teardown")
        for name in sorted(totals, key=lambda name: -totals[name]):
            if totals[name] >= self.least:
                phases = " ".join(f"{self.times[name].get(p, 0.0):8.2f}" for p in PHASES)
                terminalreporter.write_line(f"{totals[name]:8.2f} = {phases}  {name}")
        terminalreporter.write_line(f"{sum(totals.values()):8.1f} all {len(totals)} tests")
        for name in sorted(self.silent):
            terminalreporter.write_line(
                f"above {LONG:g} s without a docstring that says why: {name}"
            )
