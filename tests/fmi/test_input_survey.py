"""Two models of the survey of inputs over time; ``python -m tests.fmi.input_survey`` runs many."""

from __future__ import annotations

import pytest

from tests.fmi import input_survey


@pytest.mark.heavy
def test_models_and_their_fmus_follow_a_table_alike() -> None:
    """Two models, compiled for both FMI versions and the library, and their references: 10 s."""
    largest = input_survey.main(2, 100)
    for who, by in largest.items():
        most = 1e-6 if who.endswith("co-simulation") else 2e-8 if "exchange" in who else 1e-9
        assert by < most, who
