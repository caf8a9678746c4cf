"""The errors of the library; each message names the thing, the value and the remedy."""


class ModelError(ValueError):
    """The description of the model is wrong; known when it is made or its equations are."""


class RoleError(ModelError):
    """The roles of deformations and slips do not fit together."""


class ConfigurationError(RuntimeError):
    """No configuration belongs to the given state, or it is singular."""


class SimulationError(RuntimeError):
    """An analysis could not go on; the message says when and why."""
