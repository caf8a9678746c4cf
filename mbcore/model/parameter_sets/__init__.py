"""Parameter sets: values by name that know in which file they stand."""
