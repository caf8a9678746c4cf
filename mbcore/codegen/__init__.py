"""Equations -> C: the table of a model's variables and its generated functions."""
