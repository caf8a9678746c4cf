"""One interface to numbers from equations and from FMUs, for analyses."""
