"""Model descriptions of FMUs, and their documentation."""
