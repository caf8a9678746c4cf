"""Places and orientations that elements share."""
