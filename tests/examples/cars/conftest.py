"""Cars are compiled without optimization: that takes longer than their runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.built import hastily


@pytest.fixture(scope="module", autouse=True)
def compiled_hastily() -> Iterator[None]:
    """Let each of these modules compile hastily."""
    with hastily():
        yield
