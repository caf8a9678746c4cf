"""Arrays of variables: shapes, and values by element."""
