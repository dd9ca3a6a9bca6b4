"""Sphinx configuration: the field's conventions, no network, warnings are errors (`make docs`)."""

import os
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import generated_pages
from house_style import CourseOrder, apply_house_style, section_order

from learnable import __version__

generated_pages.write(HERE, HERE.parent)

project = "learnable"
author = "the learnable developers"
copyright = "2026, the learnable developers"
version = release = __version__

extensions = [
    "mathml",
    "docstrings",
    "report_picture",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "benchmarks.md", "generated/parts", "sg_execution_times.rst"]
suppress_warnings = ["config.cache"]
templates_path = ["_templates"]
nitpicky = True
smartquotes = False
default_role = "code"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autosummary_generate = True
autosummary_context = {"dict_methods": dir(dict) + dir(BaseException)}
autodoc_typehints = "none"
autodoc_member_order = "bysource"

html_theme = "pydata_sphinx_theme"
html_title = "learnable"
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": {place: ["page-toc"] for place in ("*", "user_guide/*", "api/*", "generated/*")},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
without_sidebar = (
    "index",
    "getting_started",
    "user_guide/*",
    "course_map",
    "core_ideas",
    "differences",
    "changelog",
    "benchmarks_page",
)
html_sidebars = {page: [] for page in without_sidebar}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "subsection_order": section_order,
    "within_subsection_order": CourseOrder,
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "nested_sections": False,
    "image_srcset": ["2x"],
    "reset_modules": ("matplotlib", apply_house_style),
    "doc_module": ("learnable",),
    "backreferences_dir": "generated/backreferences",
    "capture_repr": ("_repr_html_", "__repr__"),
}
