"""Sparse position and velocity problems, solved as expressions."""
