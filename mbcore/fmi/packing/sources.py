"""The C sources inside an FMU: the model, the runtime and the functions of its FMI version.

They are the ones the binaries are made from, and compile by themselves. The headers of FMI, which
importers supply according to the standards, have their own folder, for users who compile by hand.
``mb_names.h`` gives everything the files share a name of its own for each model, so that
several models can be linked into one program.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement

from mbcore.codegen.c_model import GeneratedModel
from mbcore.codegen.headers import headers
from mbcore.codegen.runtime import TABLES, WHOLE, runtime_files, whole_runtime
from mbcore.fmi.description import description
from mbcore.fmi.packing.compiler import FACES, fmi_headers

MODEL = "model.c"
"""The functions of the generated model; all other files but its derivatives begin with ``mb_``."""
DERIVATIVES = "model_derivatives.c"
FMI_HEADERS = "fmi_headers"
"""Folder of the headers that are part of the standard."""


def parts_of(model: GeneratedModel) -> dict[str, str]:
    """Return the C files that are compiled for a model alone, and what they include, by names."""
    return {
        MODEL: model.functions,
        DERIVATIVES: model.derivatives,
        WHOLE: whole_runtime(),
        TABLES: model.tables,
    }


def source_files(name: str, fmi: str, model: GeneratedModel) -> dict[str, str]:
    """Return the texts of an FMU's folder ``sources`` by their paths in it.

    Parameters
    ----------
    name : str
        The model identifier.
    fmi : str
        ``"2.0"`` or ``"3.0"``.
    model : GeneratedModel
        The generated model.
    """
    written = parts_of(model) | {
        file.name: file.read_text(encoding="utf-8")
        for file in [*runtime_files("*.h"), *FACES.glob(f"mb_fmi{fmi[0]}*.[ch]")]
    }
    own = written | headers()
    named = {
        path: f'#include "mb_names.h"\n{text}' if path.endswith(".c") else text
        for path, text in own.items()
    }
    named["mb_names.h"] = _names(name, fmi, own)
    for file in sorted(fmi_headers().glob(f"fmi{fmi[0]}*.h")):
        named[f"{FMI_HEADERS}/{file.name}"] = file.read_text(encoding="utf-8")
    if fmi == "3.0":
        named["buildDescription.xml"] = _build_description(name, compiled(named))
    return dict(sorted(named.items()))


def compiled(files: dict[str, str]) -> tuple[str, ...]:
    """Return those of the files that are given to a compiler."""
    return tuple(path for path in files if path.endswith(".c"))


def _names(name: str, fmi: str, files: dict[str, str]) -> str:
    # Lines of numbers, of which large tables have a hundred thousand, hold no names.
    texts = "\n".join(
        line for text in files.values() for line in text.splitlines() if "mb_" in line
    )
    macros = set(re.findall(r"^#define (mb_\w+)", texts, re.MULTILINE))
    shared = sorted(set(re.findall(r"\bmb_\w+", texts)) - macros)
    # FMI 2.0 wants the prefix from the sources, and importers that build a shared library take it
    # away; in FMI 3.0 a compiler's option may give it as well, and some importers rely on that.
    prefix = [
        "#if !defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)",
        f"#define FMI2_FUNCTION_PREFIX {name}_",
        "#endif",
    ]
    return "\n".join(
        [
            "/* Names of this model's own for what its files share. Where it is linked with others",
            f" * into one program, FMI{fmi[0]}_FUNCTION_PREFIX is {name}_ by the standard. */",
            "#ifndef MB_NAMES_H",
            "#define MB_NAMES_H",
            *(prefix if fmi == "2.0" else ()),
            *(f"#define {word} {name}_{word}" for word in shared),
            "#endif",
            "",
        ]
    )


def _build_description(name: str, files: tuple[str, ...]) -> str:
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = SubElement(
        root,
        "BuildConfiguration",
        modelIdentifier=name,
        description="Any C99 compiler; the mathematical library is needed",
    )
    together = SubElement(configuration, "SourceFileSet", language="C99")
    for path in files:
        SubElement(together, "SourceFile", name=path)
    return description.write(root).decode()
