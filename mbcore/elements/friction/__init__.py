"""Dry friction: in joints, under what rolls, and between surfaces in contact."""
