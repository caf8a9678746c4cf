"""Systems of FMUs: what is connected with what, packages of SSP, and runs with coupling methods."""
