"""How forms in space are seen: the camera, shaded faces, and the order in which these cover."""
