"""Wheels, rolling bodies and blades, and their surfaces."""
