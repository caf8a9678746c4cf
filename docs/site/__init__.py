"""Makers of the documentation site, as Sphinx runs them: generated pages, figures, formulas."""
