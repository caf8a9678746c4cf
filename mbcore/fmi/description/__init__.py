"""What an FMU tells of itself."""
