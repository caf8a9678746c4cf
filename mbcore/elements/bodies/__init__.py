"""Rigid bodies and their points."""
