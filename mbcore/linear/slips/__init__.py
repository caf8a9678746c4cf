"""Slips that are held: their constraints in linearized equations, and slips as states."""
