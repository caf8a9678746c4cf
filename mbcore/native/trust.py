"""Trust in files that this process loads: only those that nobody but its user and root can write.

A library runs with the rights of the user who loads it. Windows has another form of permissions;
its default folder is the user's own.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mbcore.model.errors import CompilerError

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def refuse_strange(folder: Path, remedy: str) -> None:
    """Refuse a folder if others may write it or one of its parents, as ssh does.

    A folder that all may write passes where nobody can rename or delete what belongs to others
    (sticky, as ``/tmp``).

    Raises
    ------
    CompilerError
        Names the folder, its owner or mode, and ``remedy``.
    """
    if not hasattr(os, "getuid"):
        return
    whole = folder.resolve()
    for place in (whole, *whole.parents):
        about = place.stat()
        _refuse_owner(place, about, remedy)
        others = about.st_mode & _OTHERS
        if others and not about.st_mode & stat.S_ISVTX and not _only_own_group(about):
            raise CompilerError(
                f"{place} can be written by others (mode {stat.S_IMODE(about.st_mode):04o}), who "
                f"could replace the code that is loaded from there: chmod go-w it, or {remedy}"
            )


def is_own(path: Path, remedy: str) -> bool:
    """Whether a file or folder is there that only its owner, this user or root, can write.

    Raises
    ------
    CompilerError
        It belongs to somebody else.
    """
    try:
        about = path.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return True
    _refuse_owner(path, about, remedy)
    return not stat.S_ISLNK(about.st_mode) and not about.st_mode & _OTHERS


def _refuse_owner(path: Path, about: os.stat_result, remedy: str) -> None:
    if about.st_uid not in (0, os.getuid()):
        raise CompilerError(
            f"{path} belongs to {_name(about.st_uid)} (user {about.st_uid}), not to you (user "
            f"{os.getuid()}), so nothing is loaded from there: {remedy}"
        )


def _only_own_group(about: os.stat_result) -> bool:
    """Return whether a group may write besides the owner, and it is the user's private group."""
    import grp

    if about.st_mode & stat.S_IWOTH or about.st_uid != os.getuid():
        return False
    try:
        group = grp.getgrgid(about.st_gid)
    except KeyError:
        return False
    own = _name(os.getuid())
    return group.gr_name == own and set(group.gr_mem) <= {own}


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return "somebody"
