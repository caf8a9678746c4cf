"""Equilibrium, statics and steady motion."""
