"""Units in Modelica's syntax, and values given with their unit."""
