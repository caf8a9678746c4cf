"""Equal parts of a long function in C: found in its operations, and written as loops."""
