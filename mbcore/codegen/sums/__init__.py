"""Functions that are linear in one of their arguments, as tables instead of statements."""
