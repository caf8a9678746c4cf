"""What formulas, laws, motions and constants must not depend on."""
