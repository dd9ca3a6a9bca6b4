"""Sphinx configuration: the field's conventions, no network, warnings are errors (`make docs`)."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")

from learnable import __version__

project = "learnable"
author = "the learnable developers"
copyright = "2026, the learnable developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "matplotlib.sphinxext.mathmpl",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
autosummary_generate = True
autodoc_typehints = "none"
napoleon_use_rtype = False
html_theme = "pydata_sphinx_theme"
html_title = "learnable"
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_end": [],
}
mathmpl_fontsize = 11.0
mathmpl_srcset = ["2x"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "show_memory": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "remove_config_comments": True,
    "nested_sections": False,
}
