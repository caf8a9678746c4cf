"""FMUs that are run."""
