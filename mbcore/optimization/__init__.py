"""Parameters with which a mechanism is best, found by exact derivatives."""
