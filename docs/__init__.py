"""The documentation site: its pages, and the modules that make the generated ones."""
