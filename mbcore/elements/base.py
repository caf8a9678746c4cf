"""What someone who writes an element needs: the base class and the records of its formulas."""

from mbcore.model.element import Element, SlipRate, Strain, length

__all__ = ["Element", "SlipRate", "Strain", "length"]
