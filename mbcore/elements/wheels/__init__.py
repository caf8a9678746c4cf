"""Wheels, rolling bodies, blades and tyres, and what they roll on."""
