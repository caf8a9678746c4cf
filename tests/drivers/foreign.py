"""Foreign FMUs, compiled from ``foreign.c`` once: no code of mbcore is in them."""

from __future__ import annotations

import re
import subprocess
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import fmpy
from filelock import FileLock

from tests.built import KEPT

SOURCE = Path(__file__).with_name("foreign.c")


@dataclass(frozen=True)
class Foreign:
    """A model of ``foreign.c``: its states, rates, parameters and what it can do."""

    states: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    starts: tuple[float, ...] = (1.0, 0.0)
    values: tuple[float, ...] = ()
    derivatives: bool = False
    saves: bool = True
    indicators: int = 0
    model: str = ""


MODELS = {
    "VANDERPOL": Foreign(("x0", "x1"), ("mu",), starts=(2.0, 0.0), values=(1.0,), derivatives=True),
    "DAHLQUIST": Foreign(("x",), ("k",), starts=(1.0,), values=(1.0,)),
    "STATESPACE": Foreign(
        ("x1", "x2"), ("a11", "a12", "a21", "a22"), ("u",), values=(-1.0, 3.0, -2.0, -0.5)
    ),
    "BALL": Foreign(("h", "v"), ("g", "e"), values=(9.81, 0.7), indicators=1),
    "BALL_UNSAVED": Foreign(
        ("h", "v"), ("g", "e"), values=(9.81, 0.7), indicators=1, saves=False, model="BALL"
    ),
    "CRASH": Foreign(("x", "v")),
    "HANG": Foreign(("x", "v")),
    "TALK": Foreign(("x", "v")),
    "DRIVEN": Foreign(("x", "v")),
}


def _variables(of: Foreign, version: int) -> tuple[str, str]:
    """Return the variables, and the structure, as FMI has them."""
    time = '<Float64 name="time" valueReference="0" causality="independent"/>'
    lines, places = [time] * (version == 3), {"state": 1, "rate": 3, "parameter": 5, "input": 9}
    rows = [
        *(("state", n, v) for n, v in zip(of.states, of.starts, strict=True)),
        *(("rate", f"der({n})", None) for n in of.states),
        *(("parameter", n, v) for n, v in zip(of.parameters, of.values, strict=True)),
        *(("input", n, 0.0) for n in of.inputs),
    ]
    count = dict.fromkeys(places, 0)
    for kind, name, value in rows:
        reference = places[kind] + count[kind]
        count[kind] += 1
        about = {
            "state": 'causality="output" variability="continuous" initial="exact"',
            "rate": 'causality="local" variability="continuous" initial="calculated"',
            "parameter": 'causality="parameter" variability="fixed" initial="exact"',
            "input": 'causality="input" variability="continuous"',
        }[kind]
        start = "" if value is None else f' start="{value!r}"'
        by = count[kind] if kind == "rate" else 0
        derivative = f' derivative="{by}"' if by else ""
        head = f'name="{name}" valueReference="{reference}" {about}'
        if version == 2:
            lines.append(f"<ScalarVariable {head}><Real{start}{derivative}/></ScalarVariable>")
        else:
            lines.append(f"<Float64 {head}{start}{derivative}/>")
    n = len(of.states)
    if version == 2:
        outputs = "".join(f'<Unknown index="{i + 1}"/>' for i in range(n))
        rates = "".join(f'<Unknown index="{n + i + 1}"/>' for i in range(n))
        return "".join(lines), f"<Outputs>{outputs}</Outputs><Derivatives>{rates}</Derivatives>"
    outputs = "".join(f'<Output valueReference="{1 + i}"/>' for i in range(n))
    rates = "".join(f'<ContinuousStateDerivative valueReference="{3 + i}"/>' for i in range(n))
    events = '<EventIndicator valueReference="1"/>' * of.indicators
    return "".join(lines), outputs + rates + events


def _description(name: str, of: Foreign, version: int) -> str:
    variables, structure = _variables(of, version)
    yes = {True: "true", False: "false"}
    save, plural = ("canGetAndSetFMUstate", "") if version == 2 else ("canGetAndSetFMUState", "s")
    flags = (
        f'{save}="{yes[of.saves]}" providesDirectionalDerivative{plural}="{yes[of.derivatives]}"'
    )
    flags += ' completedIntegratorStepNotNeeded="true"' * (version == 2)
    token = "guid" if version == 2 else "instantiationToken"
    count = f'numberOfEventIndicators="{of.indicators}"' if version == 2 else ""
    return (
        f'<?xml version="1.0"?><fmiModelDescription fmiVersion="{version}.0" modelName="{name}" '
        f'{token}="{{0}}" {count}><ModelExchange modelIdentifier="foreign" {flags}/>'
        f"<ModelVariables>{variables}</ModelVariables>"
        f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>"
    )


def _others(header: Path, version: int) -> str:
    """Return the functions that the models do without, which importers load."""
    names = sorted(set(re.findall(rf"\b(fmi{version}[A-Z]\w+)TYPE\b", header.read_text())))
    return "\n".join(f"__attribute__((weak)) int {name}(void) {{ return 3; }}" for name in names)


@cache
def foreign(name: str, version: int = 3) -> Path:
    """Return a foreign FMU for this machine, compiled when it is first asked for."""
    of, folder = MODELS[name], KEPT / "foreign"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}{version}.fmu"
    newest = max(Path(file).stat().st_mtime for file in (SOURCE, __file__))
    with FileLock(folder / f"{name}{version}.lock"):
        if not target.exists() or target.stat().st_mtime < newest:
            library = folder / f"{name}{version}.so"
            headers = Path(fmpy.__file__).parent / "c-code"
            chosen = [f"-DFMI={version}", f"-DMODEL={of.model or name}", f"-I{headers}"]
            others = folder / f"{name}{version}.c"
            others.write_text(_others(headers / f"fmi{version}Functions.h", version))
            files = [SOURCE, others, "-o", library]
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-O1", "-w", *chosen, *files, "-lm"],
                check=True,
            )
            where = "linux64" if version == 2 else "x86_64-linux"
            with zipfile.ZipFile(target, "w") as archive:
                archive.writestr("modelDescription.xml", _description(name, of, version))
                archive.write(library, f"binaries/{where}/foreign.so")
    return target
