"""Runs a compiler and notes its time, its memory and the sizes of its sources.

    CC="python compiler_meter.py LOG gcc" python build_fmu.py ...

Each run adds a line of JSON to LOG: sources with their bytes, seconds, and the largest memory of
one of the compiler's processes in bytes. It imports little, so that its own memory stays small.
"""

import json
import os
import resource
import subprocess
import sys
import time


def main() -> int:
    """Run the command; return its status."""
    log, *command = sys.argv[1:]
    start = time.perf_counter()
    status = subprocess.run(command, check=False).returncode
    seconds = time.perf_counter() - start
    sources = [name for name in command if name.endswith((".c", ".cpp"))]
    # macOS counts bytes, others kilobytes
    unit = 1 if sys.platform == "darwin" else 1024
    noted = {
        "sources": {os.path.abspath(name): os.path.getsize(name) for name in sources},
        "seconds": seconds,
        "memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit,
    }
    line = (json.dumps(noted) + "\n").encode()
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(file, line)
    os.close(file)
    return status


if __name__ == "__main__":
    sys.exit(main())
