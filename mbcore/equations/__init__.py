"""What a model obeys: index sets, elimination, dynamics, and the functions that come out."""
