"""What analyses return: columns over time, motion, modes, periodic signals."""
