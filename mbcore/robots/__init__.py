"""Robots from files: trees of links and joints, and what of them rolls."""
