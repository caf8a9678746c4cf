"""What all FMUs say of themselves."""

AUTHOR = "The mbcore authors"
COPYRIGHT = "Copyright (c) 2026 The mbcore authors"
VERSION = "1.0.0"
"""Of the FMUs' interface, by semantic versioning."""
