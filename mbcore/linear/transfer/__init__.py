"""Transfer functions of linearized equations, and their pictures."""
