"""Analyses of equations in Python, and what they return."""
