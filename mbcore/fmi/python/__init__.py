"""The Python flavour."""
