"""Numbers at a point that moves: the position problem, evaluation, and events inside steps."""
