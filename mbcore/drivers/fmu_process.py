"""The process of a foreign FMU, as seen from here: what it does wrong is an error by name.

A crash ends that process alone. One that gives no sign of life for a while is ended. It stands
apart from `mbcore.drivers.fmu_driver`, which uses it alone, because it knows nothing of FMI.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from mbcore.drivers.fmu_channel import FLOODS, MOST_MESSAGES
from mbcore.model.errors import FmuError, ModelError

PROGRAM = """
import os, sys, types
import mbcore
room = types.ModuleType("mbcore.fmi")
room.__path__ = [os.path.join(mbcore.__path__[0], "fmi")]
sys.modules["mbcore.fmi"] = room
from mbcore.drivers.fmu_worker import main
main()
os._exit(0)
"""
"""Opens the room of FMI without its public names, which would bring models, pictures and compilers,
and take a second of each start. An FMU's threads and handlers at exit must not hold it."""
PATIENCE = 20.0
"""Time without a sign of life, s, after which an FMU is given up."""
BEGINNING = 60.0
"""The same where Python and the FMU are loaded, at least."""
PRINTED = 5
"""Lines that the process has printed last, in an error."""
LONGEST_LINE = 300
GRACE = 2.0
"""Time to end by itself, s."""

Answers = queue.SimpleQueue[tuple[Any, ...] | None]


class FmuProcess:
    """A process that runs an FMU and answers questions about it.

    Parameters
    ----------
    path : Path
        The FMU.
    patience : float
        Time without a sign of life, s, after which it is given up.

    Attributes
    ----------
    about : dict
        What the FMU tells of itself.

    Raises
    ------
    FmuError
        It crashes, hangs or fails while it is loaded.
    """

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self._path, self._patience = path, patience
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: Answers = queue.SimpleQueue()
        self._printed: deque[str] = deque(maxlen=PRINTED)
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self.about: dict[str, Any] = self._opened()

    def _opened(self) -> dict[str, Any]:
        command = [sys.executable, "-c", PROGRAM]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self._process, self._answers = process, queue.SimpleQueue()
        self._printed.clear()
        self._finalizer = weakref.finalize(self, _end, process)
        for follow, stream, to in (
            (_receive, process.stdout, self._answers),
            (_read_lines, process.stderr, self._printed),
        ):
            threading.Thread(target=follow, args=(stream, to), daemon=True).start()
        found = self._asked("open", (str(self._path),), {}, max(BEGINNING, self._patience))
        return dict(found)

    def ask(
        self,
        question: str,
        *arguments: Any,
        signals: Mapping[str, Callable[[float], float]] | None = None,
    ) -> Any:
        """Return the answer of the FMU's process, which is begun anew where it has ended.

        Parameters
        ----------
        question : str
            A method of the worker.
        arguments
            Its arguments.
        signals : mapping of str to callable
            Inputs that are functions of time here.

        Raises
        ------
        ModelError
            Arguments are impossible.
        FmuError
            The FMU fails, crashes or hangs.
        """
        if self._process is None:
            self._opened()
        return self._asked(question, arguments, signals or {}, self._patience)

    def _asked(
        self,
        question: str,
        arguments: tuple[Any, ...],
        signals: Mapping[str, Callable[[float], float]],
        patience: float,
    ) -> Any:
        time = 0.0
        try:
            self._send((question, arguments))
            while True:
                try:
                    said = self._answers.get(timeout=patience)
                except queue.Empty:
                    raise self._hung(time, patience) from None
                if said is None:
                    raise self._crashed(time)
                if said[0] == "beat":
                    time = float(said[1])
                elif said[0] == "input":
                    self._send(signals[said[1]](said[2]))
                else:
                    return _answer(said)
        except (ModelError, FmuError):
            raise
        except BaseException:  # an interrupt, or a function of time: no answer is awaited then
            self.close()
            raise

    def _send(self, message: object) -> None:
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # then its answers end, too
            pickle.dump(message, self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()

    def _hung(self, time: float, patience: float) -> FmuError:
        self.close(0.0)
        return FmuError(
            f"FMU {self._path.name} hangs: it gave no sign of life for {patience:g} s, at or "
            f"after t = {time:.9g} s{self._said()}; its process has been ended. If it is "
            "only slow, give patience= in s"
        )

    def _crashed(self, time: float) -> FmuError:
        process = self._process
        assert process is not None
        code = process.wait()
        self.close()
        if code == FLOODS:
            return FmuError(
                f"FMU {self._path.name} sends messages without end, at or after t = {time:.9g} s: "
                f"{MOST_MESSAGES} in one run{self._said()}; its process has been ended"
            )
        how = f"with status {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                how = f"by {signal.Signals(-code).name}"
        return FmuError(
            f"FMU {self._path.name} crashes: its process ended {how}, at or after t = "
            f"{time:.9g} s{self._said()}; this process goes on"
        )

    def _said(self) -> str:
        lines = [line for line in self._printed if line]
        return f"; it printed: {' | '.join(lines)}" if lines else ""

    def begin_own(self) -> None:
        """Begin another process at the next question: this one was forked, the FMU's is not its."""
        if self._finalizer is not None:
            self._finalizer.detach()
        self._process = None

    def close(self, grace: float = GRACE) -> None:
        """End the process; the next question begins it anew."""
        process, self._process = self._process, None
        if process is not None and self._finalizer is not None:
            self._finalizer.detach()
            _end(process, grace)


def _answer(said: tuple[Any, ...]) -> Any:
    """Return an answer, or raise the error that it is."""
    kind, content = said
    if kind == "answer":
        return content
    if kind == "ModelError":
        raise ModelError(content)
    raise FmuError(content)


def _receive(stream: IO[bytes], answers: Answers) -> None:
    """Pass on all messages of the process; None behind the last one."""
    try:
        while True:
            answers.put(pickle.load(stream))
    except Exception:
        answers.put(None)


def _read_lines(stream: IO[bytes], printed: deque[str]) -> None:
    """Read what the process prints, however much, and remember its last lines."""
    while line := stream.readline(LONGEST_LINE):
        printed.append(line.decode("utf-8", "replace").strip())
    stream.close()


def _end(process: subprocess.Popen[bytes], grace: float = GRACE) -> None:
    """Let a process end, and end it where it does not."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
