"""The parts of a model: nodes, elements, loads, kinematics and shapes."""
