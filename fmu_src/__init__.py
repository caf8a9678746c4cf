"""The FMUs, imported as ``mbcore.fmus``: a file or a folder each, with all that is its own.

A definition, or a folder's ``__init__.py``, has a function ``component()`` that returns the FMU's
model, experiment, documentation and pictures. Beside it are parts of the model by what they are,
``sketch`` (drawings in the documentation), ``shapes`` (the model in space) and ``page`` (its page
in a browser). ``single_track/`` is what ``vehicle`` and ``vehicle_grip`` share, ``shared`` what all
definitions repeat.
"""
