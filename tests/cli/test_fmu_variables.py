"""Values for arrays of FMUs on the command line, whole and by element, in both FMI versions."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import fmpy
import pytest

from mbcore import Model, ModelWarning, read_parameters
from mbcore.cli.fmu_variables import by_element, start_values, unit
from mbcore.cli.wrong_call import WrongCallError
from mbcore.fmi import export

TABLE = "name,value\non[1],false\non[2],true\n"


@pytest.fixture(scope="module")
def descriptions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Descriptions of a model with arrays of numbers and of Booleans by FMI version."""
    model = Model("arrays")
    count = model.parameter("n", [1, 2], kind="integer")
    truth = model.parameter("on", [True, False])
    model.state("place", count[0] + count[1] + truth[0] + truth[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        made = export(model.equations(), tmp_path_factory.mktemp("fmus"), tools=[], sources=False)
    read = (fmpy.read_model_description(path) for path in made)
    return {of.fmiVersion[0]: of for of in read}


def given(of: Any, values: Any) -> dict[str, Any]:
    variables = by_element({variable.name: variable for variable in of.modelVariables})
    return start_values(variables, {n: unit(v, of) for n, v in variables.items()}, values)


@pytest.mark.parametrize("version", ["2", "3"])
def test_booleans_of_arrays_are_set_by_element(
    version: str, descriptions: dict[str, Any], tmp_path: Path
) -> None:
    """Elements that are not given keep the FMU's start values; a text is not a truth value."""
    file = tmp_path / "set.csv"
    file.write_text(TABLE)
    by_file = given(descriptions[version], read_parameters(file))
    one = given(descriptions[version], {"on[1]": "false"})
    if version == "2":
        assert by_file == {"on[1]": False, "on[2]": True} and one == {"on[1]": False}
    else:
        assert by_file == {"on": [False, True]} and one == {"on": [False, False]}


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("n = [1.5, 2]", r"parameter n = \[1\.5, 2\] is given as numbers; it is a whole number"),
        ("n = [1, 2, 3]", r"n = \[1, 2, 3\]; n has 2 values, n\[1\] to n\[2\]: give as many"),
        ("on = [1, 2]", r"parameter on = \[1, 2\] is given as a number; it is true or false"),
        ("on = ['no', 'yes']", r"parameter on\[1\] = 'no': give true or false"),
    ],
)
def test_a_wrong_array_is_told_with_file_and_line(
    version: str, value: str, said: str, descriptions: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "set.toml"
    file.write_text(f"\n{value}\n")
    with pytest.raises(WrongCallError, match=rf"^{file}, line 2: .*{said.lstrip('^')}"):
        given(descriptions[version], read_parameters(file))
