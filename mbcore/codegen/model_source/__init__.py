"""C of a model's functions and tables, of which `mbcore.codegen.c_model` makes one source."""
