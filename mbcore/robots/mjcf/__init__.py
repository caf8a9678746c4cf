"""MJCF files, which MuJoCo reads."""
