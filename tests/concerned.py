"""The tests that a branch calls for: ``python -m tests.concerned [BASE]``.

It prints the line of pytest for all tests, heavy ones too, of what has changed since BASE (by
default ``main``), commits and files that are not committed alike. `tests.rooms` has the table.
"""

from __future__ import annotations

import argparse
import subprocess

from tests.rooms import ROOT, concerned


def changed_since(base: str) -> list[str]:
    """Return the files, by their paths from the root, that differ from the branch's beginning."""

    def git(*arguments: str) -> list[str]:
        ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(f"git {' '.join(arguments)}: {ran.stderr.strip()}")
        return ran.stdout.splitlines()

    [fork] = git("merge-base", base, "HEAD")
    changed = git("diff", "--name-only", "--no-renames", fork)
    return sorted({*changed, *git("ls-files", "--others", "--exclude-standard")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", default="main", help="branch or commit to compare with")
    tests = concerned(changed_since(parser.parse_args().base))
    if tests:
        print('python -m pytest -m "" ' + " ".join(f"tests/{name}" for name in tests))
    else:
        print("nothing has changed that a test is for")


if __name__ == "__main__":
    main()
