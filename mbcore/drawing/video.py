"""Films as MP4 files, by ffmpeg: that of the machine, or that of the package imageio-ffmpeg."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mbcore.model.errors import ModelError

if TYPE_CHECKING:
    from PIL.Image import Image

EVEN = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"
"""Width and height of the usual pixel format are even."""


def encoder(owner: str) -> str:
    """Return the path of ffmpeg.

    Raises
    ------
    ModelError
        If there is none.
    """
    found = shutil.which("ffmpeg")
    if found is None and importlib.util.find_spec("imageio_ffmpeg"):
        import imageio_ffmpeg

        found = str(imageio_ffmpeg.get_ffmpeg_exe())
    if found is None:
        raise ModelError(
            f"{owner}: an .mp4 needs ffmpeg, which is not here; install it (pip install "
            "imageio-ffmpeg), or write a .gif or an .html"
        )
    return found


def write_mp4(target: Path, pictures: Iterable[Image], fps: float) -> Path:
    """Write pictures of one size as an MP4 file in H.264, which every browser plays.

    Raises
    ------
    ModelError
        If there is no ffmpeg, or it fails; the message has its last lines.
    """
    tool = encoder(target.name)
    process = None
    with tempfile.TemporaryFile() as said:
        for picture in pictures:
            if process is None:
                size = f"{picture.width}x{picture.height}"
                command = [
                    tool, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
                    "-s", size, "-r", f"{fps:g}", "-i", "-", "-vf", EVEN, "-pix_fmt", "yuv420p",
                    "-c:v", "libx264", "-movflags", "+faststart", str(target),
                ]  # fmt: skip
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said)
            assert process.stdin is not None
            try:
                process.stdin.write(picture.tobytes())
            except BrokenPipeError:
                break
        assert process is not None
        try:
            process.communicate()
        except BrokenPipeError:  # it ended before all pictures were written
            process.wait()
        if process.returncode:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            raise ModelError(f"{target.name}: ffmpeg failed: {' '.join(lines[-3:])}")
    return target
