"""What makes the documentation site, as Sphinx runs it: generated pages, figures, formulas."""
