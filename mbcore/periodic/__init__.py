"""Periodic solutions of the full equations."""
