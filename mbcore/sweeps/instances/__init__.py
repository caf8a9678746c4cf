"""Many instances of one model over time, for `mbcore.simulate_many` and sweeps of simulations."""
