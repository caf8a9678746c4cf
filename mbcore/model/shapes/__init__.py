"""Shapes of pictures."""
