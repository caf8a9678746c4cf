"""Files of parameter sets: SSP, CSV, JSON and TOML."""
