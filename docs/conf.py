"""Sphinx configuration."""

import os
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
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
# Types of other packages link to their pages, where the net can be reached.
if os.environ.get("READTHEDOCS"):
    extensions.append("sphinx.ext.intersphinx")
intersphinx_mapping = {
    "numpy": ("https://numpy.org/doc/stable", None),
    "python": ("https://docs.python.org/3", None),
    "scipy": ("https://docs.scipy.org/doc/scipy", None),
    "sklearn": ("https://scikit-learn.org/stable", None),
}
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_title = "kernelweave"
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "header_links_before_dropdown": 4}
html_static_path = ["_static"]
html_css_files = ["kernelweave.css"]
# Pages that have no others beside them.
_ALONE = ("index", "start", "mathematics", "extending", "coming-from", "architecture")
html_sidebars = {page: [] for page in _ALONE}
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
# Inherited docstrings refer to labels of scikit-learn's own manual.
suppress_warnings = ["ref.ref", "ref.term"]

# The gallery: every examples/plot_*.py runs here, and one that fails fails the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "ExampleTitleSortKey",
    "remove_config_comments": True,
    "min_reported_time": 1,
    # Pictures, tables and models, but not the names of the objects that drew them.
    "capture_repr": ("_repr_html_",),
    "image_scrapers": ("matplotlib",),
    "reference_url": {"kernelweave": None},
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "write_computation_times": False,
}
