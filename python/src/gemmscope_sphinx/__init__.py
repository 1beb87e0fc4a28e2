"""A Sphinx extension: ``.. gemm-scope:: bench.csv`` shows a benchmark file in a page, as reST and as MyST.

    extensions = ["gemmscope_sphinx"]
    gemm_scope_viewer = "https://host/gemmscope/"   # where your copy lies; without it there is the picture alone

The picture is drawn by the command when the page is built, and is what every builder shows. In HTML it is a link to
the data, and stands until the element ``<gemm-scope>`` has arrived.
"""

import hashlib
import os
import posixpath
import re
import warnings
from html import unescape
from urllib.parse import quote

import gemmscope
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

# Attributes of the element that an author may set, each with what it takes.
ATTRIBUTES = {
    "view": directives.unchanged_required,
    "device": directives.unchanged_required,
    "format": directives.unchanged_required,
    "height": directives.nonnegative_int,
    "controls": directives.flag,
    "loading": lambda value: directives.choice(value, ("lazy", "click", "eager")),
    "title": directives.unchanged_required,
}
# Options of the command that say what the picture shows.
DRAWN = ("view", "device", "format")


class gemm_scope(addnodes.download_reference):
    """The data file as a download, around its picture; ``attributes`` are those of the element."""


class GemmScope(SphinxDirective):
    """``.. gemm-scope:: FILE``: the file is relative to the page, or to the source folder where it begins with /."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {**ATTRIBUTES, "alt": directives.unchanged_required}

    def run(self):
        name, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(name)
        try:
            picture, title = self.draw(path)
        except gemmscope.Error as why:
            raise self.error(f"{self.arguments[0]}: {why}") from why
        node = gemm_scope("", "", refdoc=self.env.docname, reftarget=f"/{name}")
        node["attributes"] = {key: value for key, value in self.options.items() if key in ATTRIBUTES}
        node += nodes.image(uri=picture, alt=self.options.get("alt", title))
        paragraph = nodes.paragraph("", "", node)
        self.set_source_info(paragraph)
        return [paragraph]

    def draw(self, path):
        """The picture's address, as Sphinx takes one, and its title. It lies among what Sphinx keeps between builds."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            svg = gemmscope.run("render", path, **{key: self.options.get(key) for key in DRAWN})
        for warning in said:
            logger.warning("%s", warning.message, location=self.get_location(), type="gemmscope", subtype="data")
        folder = os.path.join(self.env.doctreedir, "gemmscope")
        os.makedirs(folder, exist_ok=True)
        drawn = os.path.join(folder, f"{hashlib.sha256(svg.encode()).hexdigest()[:16]}.svg")
        with open(drawn, "w", encoding="utf-8") as out:
            out.write(svg)
        title = re.search(r"<title[^>]*>(.*?)</title>", svg, re.DOTALL)
        address = os.path.relpath(drawn, self.env.srcdir).replace(os.sep, "/")
        return f"/{address}", unescape(title[1]) if title else os.path.basename(path)


def visit_html(self, node):
    # Without a file of this name Sphinx has warned already.
    file = node.get("filename")
    address = posixpath.join(self.builder.dlpath, quote(file)) if file else ""
    if file and self.config.gemm_scope_viewer:
        words = {key: "" if value is None else value for key, value in node["attributes"].items()}
        self.body.append(self.starttag(node, "gemm-scope", "", src=address, **words))
    self.body.append(f'<a class="reference download" download="" href="{self.attval(address)}">' if file else "<span>")


def depart_html(self, node):
    file = node.get("filename")
    self.body.append("</a>" if file else "</span>")
    if file and self.config.gemm_scope_viewer:
        self.body.append("</gemm-scope>")


def add_script(app, pagename, templatename, context, doctree):
    """The element's script, on the pages that have the element."""
    viewer = app.config.gemm_scope_viewer
    if viewer and doctree and next(doctree.findall(gemm_scope), None):
        app.add_js_file(posixpath.join(viewer, "gemm-scope.js"), type="module")


def setup(app):
    app.add_config_value("gemm_scope_viewer", "", "html", [str])
    app.add_node(gemm_scope, html=(visit_html, depart_html))
    app.add_directive("gemm-scope", GemmScope)
    app.connect("html-page-context", add_script)
    # Version of what is kept between builds.
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
