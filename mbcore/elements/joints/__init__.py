"""Joints and what couples them."""
