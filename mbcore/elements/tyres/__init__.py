"""Tyres: laws of the forces that slips, load and camber of a wheel give."""
