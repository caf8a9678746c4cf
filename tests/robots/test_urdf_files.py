"""Files that are wrong or hostile: refused or told with file, line and remedy."""

import re
from pathlib import Path

import pytest

from mbcore import Rolling, from_urdf
from mbcore.model.errors import ModelError, ModelWarning
from tests.robots.robot_files import PLAIN, joint, link, robot

TWO = (link("a", PLAIN), link("b", PLAIN))
HINGE = joint("j", "revolute", "a b", '<axis xyz="0 0 1"/>')
NEGATIVE = PLAIN.replace('ixx="0.02"', 'ixx="-0.02"')

WRONG = {
    "not XML": ("<robot", r"line 1: not XML"),
    "another root": ("<sdf/>", r"line 1: a URDF file begins with <robot>, not <sdf>"),
    "empty": ("<robot name='r'/>", "no link"),
    "entity": (
        '<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'
        "<robot name='r'><link name='&x;'/></robot>",
        r"line 2: <!DOCTYPE...> is refused.*write out",
    ),
    "another encoding": ('<?xml version="1.0" encoding="UTF-7"?><robot/>', "UTF-8"),
    "macro": (robot('<xacro:macro xmlns:xacro="x"/>', *TWO), "a macro; expand the file first"),
    "value of a macro": (
        robot(*TWO, joint("j", "fixed", "a b", '<origin xyz="$(arg x) 0 0"/>')),
        r"line 7: joint j: xyz='\$\(arg x\) 0 0' is a macro",
    ),
    "comma": (
        robot(*TWO, joint("j", "fixed", "a b", '<origin xyz="0.07, 0 0"/>')),
        "xyz='0.07, 0 0' is not 3 finite numbers",
    ),
    "not finite": (
        robot(*TWO, joint("j", "fixed", "a b", '<origin rpy="0 nan 0"/>')),
        "rpy='0 nan 0' is not 3 finite numbers",
    ),
    "no name": (robot("<link/>"), r'line 3: link: <link> has no name; write name="..."'),
    "twice": (robot(*TWO, link("b")), "link 'b' is there twice, first in line 5"),
    "kind": (robot(*TWO, joint("j", "hinge", "a b")), "no type 'hinge'; there is fixed, revolute"),
    "no link": (robot(*TWO, joint("j", "fixed", "a c")), "no link 'c'; there is a, b"),
    "axis": (robot(*TWO, joint("j", "revolute", "a b", '<axis xyz="0 0 0"/>')), "its axis is zero"),
    "loop": (
        robot(
            *TWO, link("c", PLAIN), HINGE,
            joint("k", "revolute", "a c"), joint("l", "fixed", "b c"),
        ),
        r"line 11: joint l: link c hangs on joint k \(line 10\) already, which closes a loop",
    ),
    "circle": (robot(*TWO, HINGE, joint("k", "fixed", "b a")), "in a loop"),
    "apart": (robot(*TWO), "link b does not hang on a"),
    "negative mass": (robot(link("a", PLAIN.replace("0.8", "-0.8"))), "its mass is -0.8 kg"),
    "negative moment": (
        robot(link("a", PLAIN), link("b", NEGATIVE), HINGE),
        r"line 5: link b .*principal moment of inertia -0.02 kg.m2 must not be negative",
    ),
    "no mimic": (
        robot(*TWO, joint("j", "revolute", "a b", '<mimic joint="k"/>')), "mimics no joint 'k'",
    ),
    "mimics itself": (
        robot(*TWO, joint("j", "revolute", "a b", '<mimic joint="j"/>')), "follows it in turn",
    ),
    "negative friction": (
        robot(*TWO, joint("j", "revolute", "a b", '<dynamics friction="-1"/>')),
        "its friction is -1",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    file = tmp_path / "wrong.urdf"
    file.write_text(text)
    with pytest.raises(ModelError, match=message) as error:
        from_urdf(file)
    assert "wrong.urdf" in str(error.value)


def test_wheels_in_a_circle_of_joints_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "circle.urdf"
    file.write_text(WRONG["circle"][0])
    with pytest.raises(ModelError, match="in a loop"):
        from_urdf(file, rolling={"b": Rolling(0.1)})


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none.urdf: No such file"):
        from_urdf(tmp_path / "none.urdf")


def test_entities_are_not_expanded_in_attributes(tmp_path: Path) -> None:
    """The declaration is found wherever it stands, before anything is parsed."""
    file = tmp_path / "bomb.urdf"
    file.write_text("<!-- \n -->\n<!DOCTYPE x [<!ENTITY a 'aaaa'>]><robot name='&a;'/>")
    with pytest.raises(ModelError, match="line 3"):
        from_urdf(file)


def test_what_is_not_used_is_told(tmp_path: Path) -> None:
    file = tmp_path / "rich.urdf"
    mesh = '<visual><geometry><mesh filename="package://x/y.stl"/></geometry></visual>'
    file.write_text(
        robot(
            f'<link name="a">{mesh}</link>', link("b", PLAIN), "<gazebo/>", "<gazebo/>", "<wing/>",
            joint("j", "revolute", "a b", '<axis xyz="0 0 2"/><limit effort="5" velocity="1"/>'),
        )
    )  # fmt: skip
    told = "\n".join(from_urdf(file).unsupported)
    for part in (
        "<mesh> in <visual>, line 3",
        "<gazebo>, 2 times, first in line 6: settings of one simulator",
        "<wing> in <robot>, line 8: not a tag of URDF",
        "its axis has the length 2",
        "both limits are 0",
        "effort and velocity of limits",
    ):
        assert re.search(re.escape(part), told), part


def test_an_inertial_without_mass_is_a_note(tmp_path: Path) -> None:
    file = tmp_path / "light.urdf"
    file.write_text(robot(link("a", PLAIN.replace('<mass value="0.8"/>', "")), link("b"), HINGE))
    with pytest.warns(ModelWarning, match="line 3: link a: its <inertial> has no <mass>"):
        from_urdf(file)


def test_doubtful_inertia_is_a_note(tmp_path: Path) -> None:
    file = tmp_path / "thin.urdf"
    file.write_text(robot(link("a"), link("b", PLAIN.replace('izz="0.005"', 'izz="1"')), HINGE))
    with pytest.warns(ModelWarning, match="no mass has the principal moments 0.02, 0.02, 1"):
        assert len(from_urdf(file).notes) == 1
