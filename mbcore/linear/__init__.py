"""Linearized equations and what follows from them."""
