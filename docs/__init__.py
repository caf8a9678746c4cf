"""The documentation: its pages, and in `docs.site` the modules that make the generated ones."""
