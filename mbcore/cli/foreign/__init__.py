"""Foreign FMUs on the command line."""
