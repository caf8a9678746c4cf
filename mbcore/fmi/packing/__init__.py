"""From C and descriptions to FMU files, for several platforms."""
