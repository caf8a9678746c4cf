"""Beams and bars."""
