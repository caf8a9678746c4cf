"""Checks of what formulas, laws, motions and constants depend on."""
