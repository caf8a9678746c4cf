"""Whatever a user gives wrongly is told where it is given: the thing, its value, the remedy."""

from __future__ import annotations

import re
import warnings

import pytest

from mbcore import ModelWarning
from tests.model.mistakes import (
    analyses,
    arguments,
    bodies,
    contacts,
    elements,
    equations,
    exports,
    truths,
    variables,
)
from tests.model.mistakes.case import Mistake, Parts

TABLES = {
    "analyses": analyses.TABLE,
    "arguments": arguments.TABLE,
    "bodies": bodies.TABLE,
    "contacts": contacts.TABLE,
    "elements": elements.TABLE,
    "equations": equations.TABLE,
    "exports": exports.TABLE,
    "truths": truths.TABLE,
    "variables": variables.TABLE,
}
MISTAKES = {
    f"{table}: {name}": mistake for table, rows in TABLES.items() for name, mistake in rows.items()
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_by_name_value_and_remedy(name: str) -> None:
    mistake: Mistake = MISTAKES[name]
    said = "".join(f".*{re.escape(words)}" for words in mistake.says)
    if mistake.warns:
        with pytest.warns(ModelWarning, match=f"(?s){said}"):
            mistake.make(Parts())
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        with pytest.raises(mistake.error, match=f"(?s){said}") as refused:
            mistake.make(Parts())
    own = type(refused.value).__module__.startswith("mbcore.")
    assert own or mistake.error is KeyError, "an error of this library"
    assert "prototypes" not in str(refused.value)
    assert "/casadi/" not in str(refused.value)
