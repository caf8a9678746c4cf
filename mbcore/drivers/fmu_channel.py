"""How the process of a foreign FMU speaks with its parent, and the inputs that it asks for there.

`mbcore.drivers.fmu_worker` and `mbcore.drivers.cosimulation_worker` use it.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

BEAT = 0.2
"""Time between two signs of life, s."""
TOLD = 5
"""Messages of an FMU in an error."""
MOST_MESSAGES = 100_000
"""Messages of an FMU in one run, after which it is given up."""
FLOODS = 86
"""Exit status of the process then."""


class Channel:
    """The pipes to the parent process.

    Parameters
    ----------
    read, write : BinaryIO
        From and to the parent.
    """

    def __init__(self, read: BinaryIO, write: BinaryIO) -> None:
        self._read, self._write, self._told = read, write, 0.0

    def send(self, message: object) -> None:
        """Send a message."""
        pickle.dump(message, self._write, pickle.HIGHEST_PROTOCOL)
        self._write.flush()

    def receive(self) -> Any:
        """Wait for a message."""
        return pickle.load(self._read)

    def beat(self, t: float) -> None:
        """Tell that the FMU is evaluated, at a time of the run, s."""
        now = time.monotonic()
        if now - self._told > BEAT:
            self._told = now
            self.send(("beat", t))


class Asked:
    """An input that is a function of time in the parent process."""

    def __init__(self, name: str, channel: Channel) -> None:
        self._name, self._channel = name, channel
        self._known: dict[float, float] = {}

    def __call__(self, t: float) -> float:
        """Return its value at a time, s."""
        if t not in self._known:
            if len(self._known) > 1000:
                self._known.clear()
            self._channel.send(("input", self._name, t))
            self._known[t] = float(self._channel.receive())
        return self._known[t]


class MessageLimit:
    """Messages of an FMU in a run: the last ones are told, endless ones end the process."""

    def __init__(self) -> None:
        self._count = 0
        self._told: deque[str] = deque(maxlen=TOLD)

    def begin(self) -> None:
        """Begin a run."""
        self._count = 0
        self._told.clear()

    def note(self, status: int, text: str) -> None:
        """Take a message, with its status."""
        self._count += 1
        if self._count > MOST_MESSAGES:
            os._exit(FLOODS)  # the call that sends them may not come back
        if text and status > 0:
            self._told.append(text)

    @property
    def said(self) -> str:
        """Its last messages, in words to append."""
        return f"; it says: {' | '.join(self._told)}" if self._told else ""


def signals(inputs: Mapping[str, Any], channel: Channel) -> dict[str, Callable[[float], float]]:
    """Return inputs over time; those that are None are asked for in the parent process."""
    return {
        name: Asked(name, channel) if given is None else given for name, given in inputs.items()
    }


def end_with_parent() -> None:
    """End this process where its parent has ended, in the middle of a call of the FMU too."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
