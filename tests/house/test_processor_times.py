"""The list of ``--processor-times``: which tests of more than 5 s have no docstring."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from tests.processor_times import ProcessorTimes


def test_long_calls_without_a_reason_are_listed() -> None:
    """A long setup is that of a fixture, which others share; a short call needs no reason."""
    times, lines = ProcessorTimes(1.0), list[str]()
    for name, when, took, says_why in (
        ("told", "call", 6.0, True),
        ("silent", "call", 6.0, False),
        ("short", "call", 4.0, False),
        ("made", "setup", 6.0, False),
    ):
        report = SimpleNamespace(nodeid=name, when=when, processor_time=took, says_why=says_why)
        times.pytest_runtest_logreport(cast(Any, report))
    screen = SimpleNamespace(section=lambda _: None, write_line=lines.append)
    times.pytest_terminal_summary(cast(Any, screen))
    assert [line for line in lines if "why" in line] == [
        "above 5 s without a docstring that says why: silent"
    ]
    assert lines[4].split() == ["22.0", "all", "4", "tests"]
