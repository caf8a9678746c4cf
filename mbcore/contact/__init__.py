"""Laws of contact, and what puts them on the joints of a model."""
