"""Parts of a system: nodes, quantities and their roles, the description, names, units, errors."""

from mbcore.model.guard import install

install()
