"""Roles that are missing, redundant or dependent, and a choice of roles."""
