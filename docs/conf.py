"""Sphinx configuration."""

from importlib.metadata import version as installed_version

project = "kernelweave"
author = "The kernelweave developers"
copyright = "2026, The kernelweave developers"
version = release = installed_version("kernelweave")
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
html_title = "kernelweave"
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False}
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
myst_heading_anchors = 3
# Inherited docstrings refer to labels of scikit-learn's own manual.
suppress_warnings = ["ref.ref"]
