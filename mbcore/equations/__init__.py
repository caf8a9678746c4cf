"""The equations of a model: index sets, elimination, dynamics, and the functions that come out."""
