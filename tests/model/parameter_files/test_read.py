"""Parameter sets in files: values, units by the file's own definitions, and what is refused."""

from __future__ import annotations

import pickle
import textwrap
from pathlib import Path

import numpy as np
import pytest

from mbcore import Model, ModelError, read_parameters
from mbcore.model.interface.values import checked_values
from mbcore.model.parameter_files.read import merged
from mbcore.model.parameter_sets.parameter_set import ParameterSet

SPACES = (
    'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" '
    'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"'
)
UNITS = """<ssv:Units>
  <ssc:Unit name="km/h"><ssc:BaseUnit m="1" s="-1" factor="0.277777777777778"/></ssc:Unit>
  <ssc:Unit name="furlong"><ssc:BaseUnit m="1" factor="201.168"/></ssc:Unit>
  <ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>
</ssv:Units>"""
KINDS = {"speed": "m/s", "length": "m", "share": "1"}


def records() -> list:
    """Return parameters of a speed, a length, a number and a choice."""
    model = Model("few")
    for name, unit in KINDS.items():
        model.parameter(name, 1.0, unit=unit, positive=True)
    model.enumeration("law", ["viscous", "dry"])
    return list(model.parameters.values())


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(textwrap.dedent(text), "utf-8")
    return file


def ssv(folder: Path, parameters: str, version: str = "1.0", head: str = "") -> Path:
    """Write a parameter set whose first parameter stands in line 3."""
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>{head}\n'
        f'<ssv:ParameterSet {SPACES} version="{version}" name="set"><ssv:Parameters>\n'
        f"{parameters}\n</ssv:Parameters>\n{UNITS}</ssv:ParameterSet>"
    )
    return written(folder, "set.ssv", text)


def one(name: str, kind: str, rest: str) -> str:
    return f'<ssv:Parameter name="{name}"><ssv:{kind} {rest}/></ssv:Parameter>'


def test_an_ssv_has_the_units_that_it_defines(tmp_path: Path) -> None:
    file = ssv(
        tmp_path,
        one("speed", "Real", 'value="36" unit="km/h"')
        + one("length", "Real", 'value="2" unit="furlong"')
        + one("share", "Integer", 'value="3"')
        + one("law", "Enumeration", 'value="dry"'),
    )
    given = read_parameters(file)
    assert given["share"] == 3 and given["law"] == "dry"
    values = checked_values("parameter", records(), given)
    np.testing.assert_allclose(values, [10.0, 402.336, 3.0, 2.0], rtol=1e-14)
    assert pickle.loads(pickle.dumps(given)).origin("speed") == f"{file}, line 3"


def test_types_of_ssp_2_are_read(tmp_path: Path) -> None:
    parameters = "\n".join(
        [
            one("speed", "Float64", 'value="2.5e0"'),
            one("length", "Float32", 'value="0.5"'),
            one("share", "UInt8", 'value="200"'),
            one("law", "Int64", 'value="2"'),
        ]
    )
    given = read_parameters(ssv(tmp_path, parameters, "2.0"))
    assert checked_values("parameter", records(), given).tolist() == [2.5, 0.5, 200.0, 2.0]
    with pytest.raises(ModelError, match=r"line 3: speed is a Float64, a type of SSP 2\.0"):
        read_parameters(ssv(tmp_path, parameters, "1.0"))


def test_arrays_of_ssp_2_are_read(tmp_path: Path) -> None:
    def array(sizes: str, rest: str = 'Float64 value="1 2 3 4 5 6" unit="km/h"') -> Path:
        dimensions = "".join(f'<ssc:Dimension size="{size}"/>' for size in sizes.split())
        text = f'<ssv:Parameter name="speeds"><ssv:{rest}/>{dimensions}</ssv:Parameter>'
        return ssv(tmp_path, text, "2.0")

    for sizes, shape in (("2 3", (2, 3)), ("6", (6,)), ("", (6,))):
        model = Model("many")
        model.parameter("speeds", np.ones(shape), unit="m/s")
        given = read_parameters(array(sizes))
        found = checked_values("parameter", list(model.parameters.values()), given)
        np.testing.assert_allclose(found, np.arange(1, 7) / 3.6, rtol=1e-14)
    whole = read_parameters(array("2 1", 'Int32 value="7 8"'))
    assert whole["speeds"] == [[7], [8]]
    assert read_parameters(array("2", 'Boolean value="true 0"'))["speeds"] == [True, False]
    for sizes, said in (
        ("2 2", "line 3: speeds = '1 2 3 4 5 6' has 6 values, and its dimensions are 2 x 2; give"),
        ("-2 -3", "line 3: speeds: a Dimension has size = '-2'; give a positive number"),
    ):
        with pytest.raises(ModelError, match=said):
            read_parameters(array(sizes))
    with pytest.raises(ModelError, match="line 3: speeds = 'x' is not a finite number"):
        read_parameters(array("2", 'Float64 value="1 x"'))


def test_arrays_of_texts_in_ssp_2_are_read(tmp_path: Path) -> None:
    """Arrays of items and texts have an element for each value, which may hold spaces."""

    def items(values: str, sizes: str = "", version: str = "2.0", attribute: str = "") -> Path:
        inside = "".join(f'<ssv:Value value="{value}"/>' for value in values.split(";") if value)
        dimensions = "".join(f'<ssc:Dimension size="{size}"/>' for size in sizes.split())
        text = f"<ssv:Enumeration {attribute}>{inside}</ssv:Enumeration>{dimensions}"
        return ssv(tmp_path, f'<ssv:Parameter name="laws">{text}</ssv:Parameter>', version)

    assert read_parameters(items("dry;very wet", "2"))["laws"] == ["dry", "very wet"]
    assert read_parameters(items("dry;wet"))["laws"] == ["dry", "wet"]
    assert read_parameters(items("dry"))["laws"] == "dry"
    assert read_parameters(items("dry", "1 1"))["laws"] == [["dry"]]
    for file, said in (
        (lambda: items("dry;wet", "3"), r"laws = 'dry wet' has 2 values, and its dimensions are 3"),
        (lambda: items("dry", attribute='value="wet"'), "laws has 1 elements Value and the attri"),
        (lambda: items("", "1"), "laws has 0 elements Value and the attribute value = None; give"),
        (lambda: items("dry;wet", version="1.0"), "is an array, which SSP 1.0 does not have; wri"),
    ):
        with pytest.raises(ModelError, match=f"line 3: laws.*{said.removeprefix('laws')}"):
            read_parameters(file())


def test_tables_of_names_and_values(tmp_path: Path) -> None:
    files = [
        written(tmp_path, "a.csv", "name;value;unit\nspeed;3,6;km/h\nlaw;dry;\nlength;2\n"),
        written(tmp_path, "a.json", '{"speed": "3.6 km/h", "law": "dry",\n "length": 2.0}'),
        written(tmp_path, "a.toml", "speed = '3.6 km/h'\nlaw = 'dry'\nlength = 2\n"),
    ]
    for file in files:
        values = checked_values("parameter", records(), read_parameters(file))
        np.testing.assert_allclose(values, [1.0, 2.0, 1.0, 2.0], rtol=1e-14)


def test_tables_in_tables_are_parts_of_names(tmp_path: Path) -> None:
    toml = written(
        tmp_path, "a.toml", '# of a car\n[body]\nmass = """\n1300 kg"""\nspring.stiffness = 3\n'
    )
    json = written(tmp_path, "a.json", '{"body": {"mass": "1300 kg",\n"spring": {"stiffness": 3}}}')
    for file, line in ((toml, 5), (json, 2)):
        given = read_parameters(file)
        assert list(given) == ["body.mass", "body.spring.stiffness"]
        assert given.origin("body.spring.stiffness") == f"{file}, line {line}"
    assert given.origin("body.mass") == f"{json}, line 1"
    other = merged(given, {"body.mass": 2.0})
    assert other["body.mass"] == 2.0 and other["body.spring.stiffness"] == 3


def test_elements_override_arrays_and_arrays_elements(tmp_path: Path) -> None:
    known = ["k[1]", "k[2]", "k[3]", "n[1,1]", "n[2,1]", "mass"]
    json = written(tmp_path, "a.json", '{"mass": 1,\n"k": [7.5, 8.5, 9.5], "n": [[1], [2]]}')
    toml = written(tmp_path, "a.toml", "mass = 1\nk = [7.5, 8.5, 9.5]\nn = [[1], [2]]\n")
    for file in (json, toml):
        given = merged(read_parameters(file), {"k[2]": "5 N", "n[2,1]": 3}, known)
        expected = {"mass": 1, "k[1]": 7.5, "k[3]": 9.5, "k[2]": "5 N", "n[1,1]": 1, "n[2,1]": 3}
        assert given == expected
        assert isinstance(given, ParameterSet)
        assert given.origin("k[3]") == f"{file}, line 2" and given.origin("k[2]") is None
        with pytest.raises(ModelError, match=r"parameter k\[1\] = 7\.5 is given as a number"):
            given.check_type("parameter", "k[1]", "boolean")
    assert merged({"k[2]": 1.0, "mass": 2.0}, {"k": [4, 5, 6]}, known) == {
        "mass": 2.0, "k": [4, 5, 6]
    }  # fmt: skip
    assert merged({"k": [4, 5, 6]}, {"k[3]": 1.0}, known) == {"k[1]": 4, "k[2]": 5, "k[3]": 1.0}


def test_elements_override_no_array_that_is_wrong(tmp_path: Path) -> None:
    known = ["k[1]", "k[2]", "k[3]"]
    short = written(tmp_path, "a.json", '{"k": [7, 8]}')
    with pytest.raises(ModelError, match=r"a\.json, line 1: k = \[7, 8\]; k has 3 values"):
        merged(read_parameters(short), {"k[3]": 5.0}, known)
    twice = written(tmp_path, "b.json", '{"k": [7, 8, 9], "k[1]": 2}')
    assert merged(read_parameters(twice), {"k[3]": 5.0}, known).keys() == {"k", "k[1]", "k[3]"}


BOMB = """<!DOCTYPE set [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>"""
OUTSIDE = """<!DOCTYPE set [<!ENTITY a SYSTEM "file:///etc/passwd">]>"""
REFUSED_SSV = {
    "a unit of another quantity": (
        one("speed", "Real", 'value="2" unit="furlong"'),
        r"line 3: parameter speed is a speed \[m/s\]; '402.336 m' is a length; give e.g. "
        r"'402.336 km/h'",
    ),
    "a unit that is not defined": (
        one("speed", "Real", 'value="2" unit="mph"'),
        r"line 3: speed = '2': the file has no unit 'mph'; .*define it in Units",
    ),
    "a unit with an offset": (
        one("share", "Real", 'value="20" unit="degC"'),
        r"line 3: share = '20': the unit 'degC' does not begin at zero .*give the value in K",
    ),
    "a number for a choice": (
        one("law", "Real", 'value="2.0"'),
        r"line 3: parameter law = 2.0 is given as Real; give one of viscous, dry",
    ),
    "a truth value for a number": (
        one("share", "Boolean", 'value="true"'),
        r"line 3: parameter share = True is given as Boolean; it is a real number",
    ),
    "a text for a number": (
        one("share", "String", 'value="2"'),
        "line 3: parameter share = '2' is given as String; it is a real number",
    ),
    "another item": (
        one("law", "Enumeration", 'value="wet"'),
        "line 3: parameter law = 'wet': give one of viscous, dry",
    ),
    "a value out of its range": (
        one("length", "Real", 'value="-2"'),
        "line 3: parameter length = -2.0: must be a finite number > 0",
    ),
    "an unknown name": (
        one("lenght", "Real", 'value="2"'),
        r"line 3: no parameter 'lenght'; did you mean 'length'\?",
    ),
    "a value twice": (
        one("length", "Real", 'value="2"') + "\n" + one("length", "Real", 'value="3"'),
        r"line 4: length is given twice, in line 3 as 2.0 and here as 3.0; leave one out",
    ),
    "no number": (
        one("length", "Real", 'value="two"'),
        "line 3: length = 'two' is not a finite number; give one",
    ),
    "infinity": (
        one("length", "Real", 'value="INF"'),
        "line 3: length = 'INF' is not a finite number; give one",
    ),
    "a number beyond all": (
        one("length", "Real", 'value="1e999"'),
        "line 3: length = '1e999' is not a finite number; give one",
    ),
    "an array": (one("length", "Real", 'value="1 2"'), "line 3: length = '1 2' is an array"),
    "too large a whole number": (
        one("share", "Integer", 'value="3000000000"'),
        "line 3: share = '3000000000' is not of type Integer; give a whole number from -2147483648",
    ),
    "an attribute with a slip": (
        one("length", "Real", 'value="2" unti="m"'),
        r"line 3: no attribute of Real 'unti'; did you mean 'unit'\?",
    ),
    "an element of its own": (
        '<ssv:Parameter name="length"><ssv:Reel value="2"/></ssv:Parameter>',
        "line 3: no element of Parameter 'Reel'; did you mean 'Real'",
    ),
    "no type": ('<ssv:Parameter name="length"/>', "line 3: length has 0 types; give one"),
    "no name": ('<ssv:Parameter><ssv:Real value="1"/></ssv:Parameter>', "line 3: .* has no name"),
    "no well-formed file": ("<ssv:Parameter>", "line 4: this is not valid XML .mismatched tag."),
}


@pytest.mark.parametrize("case", REFUSED_SSV)
def test_a_wrong_ssv_is_refused_with_file_line_value_and_remedy(case: str, tmp_path: Path) -> None:
    parameters, message = REFUSED_SSV[case]
    file = ssv(tmp_path, parameters)
    with pytest.raises(ModelError, match=message) as refused:
        checked_values("parameter", records(), read_parameters(file))
    assert str(refused.value).startswith(f"{file}, line ")


@pytest.mark.parametrize("head", [BOMB, OUTSIDE], ids=["bomb", "outside"])
def test_entities_are_refused_before_they_are_expanded(head: str, tmp_path: Path) -> None:
    file = ssv(tmp_path, one("length", "Real", 'value="2"').replace("2", "&b;"), head=head)
    with pytest.raises(ModelError, match=r"set\.ssv, line 1: it declares a document type, DOCTYPE"):
        read_parameters(file)


@pytest.mark.parametrize("version", ["3.0", "", "2.1"])
def test_other_versions_are_refused(version: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"line 2: version = '.*'; give 1.0 or 2.0"):
        read_parameters(ssv(tmp_path, "", version))


REFUSED = {
    "a.csv": {
        "speed;length\n1;2\n": "a.csv, line 1: its columns are 'speed', 'length'; begin with",
        "name,value\nspeed,1\nspeed,2\n": "line 3: speed is given twice, in line 2 as 1.0 and",
        "name,value\nspeed,\n": "line 2: speed has no value; give both",
        "name,value,unit\nlaw,dry,m\n": "line 2: law = 'dry' is not a number, but has the unit 'm'",
        "name,value,unit\nspeed,1,kg\n": r"line 2: parameter speed is a speed .m/s.; '1.0 kg' is",
        "name,value\nspeed,fast\n": "line 2: parameter speed = 'fast': give a number, or",
    },
    "a.json": {
        '{"speed": 1,\n "speed": 2}': "a.json, line 2: speed is given twice, as 1 and as 2; leave",
        '{"speed": [1, 2]}': r"line 1: parameter speed = \[1, 2\]: give a number",
        '{"speed": []}': r"line 1: speed = \[\]; give a number",
        '{"speed": [1, null]}': r"line 1: speed\[2\] = None; give a number",
        '{"speed": null}': "line 1: speed = None; give a number",
        '{"speed": 1,}': "line 1: this is not valid JSON",
        '{"speed": NaN}': "line 1: parameter speed = nan: must be a finite number",
        '{"law": 1.5}': "line 1: parameter law = 1.5 is given as a number; give one of viscous",
        '{"share": true}': "line 1: parameter share = True is given as true or false; it is a re",
        "[1]": "a.json: give values by name",
        "[" * 100_000: "a.json cannot be read as JSON",
    },
    "a.toml": {
        "speed = 1\nspeed = 2\n": "a.toml, line 2: this is not valid TOML .*overwrite",
        "\nspeed = 2020-01-01": "a.toml: speed = 2020-01-01; give a number",
        "\n\nspeed = '1 kg'": "a.toml, line 3: parameter speed is a speed",
        "speed = inf": "a.toml, line 1: parameter speed = inf: must be a finite number",
    },
    "a.txt": {"speed=1": "give a file that ends in .ssv, .csv, .json, .toml"},
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in REFUSED.items() for t in texts])
def test_a_wrong_table_is_refused(name: str, text: str, tmp_path: Path) -> None:
    file = written(tmp_path, name, text)
    with pytest.raises(ModelError, match=REFUSED[name][text]):
        checked_values("parameter", records(), read_parameters(file))


def test_a_file_that_is_not_there_is_told_with_its_neighbour(tmp_path: Path) -> None:
    written(tmp_path, "vehicle.ssv", "")
    with pytest.raises(ModelError, match=r"there is no file .*vehicel.ssv; did you mean .*vehicle"):
        read_parameters(tmp_path / "vehicel.ssv")
