"""Wheels, rolling bodies and blades, and what they roll on."""
