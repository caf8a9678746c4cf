"""A model as expressions: index sets, rates, inertia terms and forces."""
