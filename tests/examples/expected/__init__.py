"""Numbers that the examples must meet: published, in closed form, or derived by hand."""

from tests.examples.expected.expected import Expected
from tests.examples.expected.mechanisms import MECHANISMS
from tests.examples.expected.rolling import ROLLING

EXPECTED = MECHANISMS | ROLLING

__all__ = ["EXPECTED", "MECHANISMS", "ROLLING", "Expected"]
