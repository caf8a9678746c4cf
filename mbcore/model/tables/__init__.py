"""Tables of numbers that are called with expressions: characteristics, roads, measured curves."""
