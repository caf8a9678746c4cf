"""Simulation by compiled equations: C text, libraries kept for the next time, runs in this process."""
