"""Forces, inertia terms and rates over the index sets."""
