"""Linearized equations and their analyses."""
