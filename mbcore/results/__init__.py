"""Results of analyses: columns over time, motion, modes, periodic signals."""
