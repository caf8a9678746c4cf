"""Environments of Gymnasium around models, for reinforcement learning; an extra."""

try:
    import gymnasium as _gymnasium
except ImportError as error:
    raise ImportError(
        "mbcore.gym needs Gymnasium: pip install 'mbcore-multibody[gym]'", name="gymnasium"
    ) from error
from mbcore.gym.environment import Environment
from mbcore.gym.task import Task
from mbcore.gym.vector_environment import VectorEnvironment

__all__ = ["Environment", "Task", "VectorEnvironment"]
del _gymnasium
