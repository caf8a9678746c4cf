"""Tables of pages that are made: of methods, of modules, of what is validated."""
