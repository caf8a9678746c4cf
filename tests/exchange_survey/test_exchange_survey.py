"""A few models with impacts under five masters: ``python -m tests.exchange_survey`` does more."""

from __future__ import annotations

import pytest

from tests.exchange_survey.verdict import judged


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [0, 2, 3, 5, 6, 8, 9])
def test_impacts_end_in_rest_under_every_master(seed: int) -> None:
    outcome = judged(seed)
    assert outcome.kind == "equal", outcome.message
