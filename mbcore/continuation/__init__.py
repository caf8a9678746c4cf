"""Branches of equilibria, steady motions and periodic solutions."""
