"""Simulation by compiled equations: C text, libraries that are kept, runs in this process."""
