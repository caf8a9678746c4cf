"""Copies and pickles of what holds expressions: kept whole, with all symbols that it shares.

CasADi pickles expressions within a context only, which knows symbols again.
"""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any, TypeVar

import casadi

Kept = TypeVar("Kept")


def reduced(whole: object, protocol: Any) -> Any:
    """Return the result of an object's ``__reduce_ex__``: a pickle of its own without a context.

    Parts that are pickled beside the object, and not with it, do not belong to its copy.
    """
    if _has_context():
        return object.__reduce_ex__(whole, protocol)
    with casadi.global_pickle_context():
        return _read, (pickle.dumps(whole, protocol),)


def _has_context() -> bool:
    """Return whether expressions are pickled within a context here.

    An expression cannot be asked, for its state is written at once. A thing that is none is refused
    in either case, within a context because it is none. MX is asked, for `mbcore.model.guard` has
    another method for SX.
    """
    try:
        casadi.MX.__getstate__(object())
    except NotImplementedError:
        return True
    except Exception:  # what CasADi raises without one
        return False
    raise AssertionError("CasADi took an object that is not an expression for one")


def copied(whole: Kept, memo: dict[int, Any] | None = None) -> Kept:
    """Return a copy, a deep one with a ``memo``, which a pickle is not needed for."""
    found = object.__new__(type(whole))
    if memo is None:
        vars(found).update(vars(whole))
    else:
        memo[id(whole)] = found
        vars(found).update(deepcopy(vars(whole), memo))
    return found


def _read(stored: bytes) -> Any:
    with casadi.global_unpickle_context():
        return pickle.loads(stored)
