"""Settings of the documentation site; ``python -m sphinx -b html docs build/docs`` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = "mbcore"
author = "mbcore developers"
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "docs.site.mathml",
    "docs.site.docstrings",
    "docs.site.pictures",
    "docs.site.gallery_pages",
    "docs.site.fmu_pages",
    "docs.site.atlas",
    "docs.site.equations",
    "docs.site.tables.rooms",
]
exclude_patterns = ["_build", "**/README.md"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# Names in single backticks are code, and links where such an object is documented.
default_role = "py:obj"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # else a function among them keeps a signature from being parsed
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "mbcore"
html_logo = html_favicon = "static/logo.svg"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_extra_path = ["generated/live"]
(ROOT / "docs" / "generated" / "live").mkdir(parents=True, exist_ok=True)
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}  # else the theme warns in the console of a first visit
html_show_sourcelink = False
html_sidebars = {"tutorial": [], "cheat_sheet": []}  # in no section whose pages could be listed
html_theme_options = {
    "logo": {"text": "mbcore"},
    "show_prev_next": False,
    "show_toc_level": 3,  # tools of a page, and methods of a class, without a click
    "navigation_with_keys": False,
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
}
copybutton_exclude = ".linenos, .gp, .go"
# Some names, such as the force of several slips, are those of more than one attribute.
suppress_warnings = ["myst.header", "ref.python"]
