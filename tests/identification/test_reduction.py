"""Rows of least squares that QR factors make fewer."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore.identification.reduction import reduced


@pytest.mark.parametrize("rows", [3, 40])
def test_reduced_rows_have_the_same_squares_and_products(rows: int) -> None:
    """Segments feel two unknowns that all have in common, and one of their own."""
    random = np.random.default_rng(2)
    segment_of = np.tile(np.arange(4), rows)
    jacobian = np.zeros((segment_of.size + 2, 6))
    jacobian[:, :2] = random.normal(size=(len(jacobian), 2))
    jacobian[range(segment_of.size), 2 + segment_of] = random.normal(size=segment_of.size)
    jacobian[-2:] = random.normal(size=(2, 6))
    errors = random.normal(size=len(jacobian))
    fewer, changes = reduced(errors, jacobian, segment_of)
    assert fewer.shape == (7,) and changes.shape == (7, 6)
    assert fewer @ fewer == pytest.approx(errors @ errors, rel=1e-13)
    np.testing.assert_allclose(changes.T @ changes, jacobian.T @ jacobian, rtol=0, atol=1e-12)
    np.testing.assert_allclose(changes.T @ fewer, jacobian.T @ errors, rtol=0, atol=1e-12)
