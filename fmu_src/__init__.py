"""The FMUs: one file each, its model and its interface."""
