"""Simulation by compiled equations: C text, cached libraries, runs in this process."""
