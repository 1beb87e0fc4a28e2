"""GEMM rooflines in a notebook: every figure and picture comes from the ``gemmscope`` command.

    import gemmscope
    gemmscope.show("bench.csv", device="h100-sxm")
    gemmscope.summary(df, device="mi300x")["weighted_efficiency"]

Data is a path, text of a CSV, a DataFrame of pandas or polars, a list of dicts, a dict of columns,
or a list of any of these.
"""

import json

from ._command import Error, Warning, run
from ._data import Data
from ._page import Page

__all__ = ["Error", "Page", "Warning", "check", "reference", "report", "run", "show", "summary"]


def show(data, *, device=None, view=None, theme=None, height=620, **options):
    """The page with the data inside, as the output of a cell.

    ``view`` is a place or a chart (``gemmscope views`` lists them), ``theme`` is ``"light"`` or
    ``"dark"`` (else the notebook's), ``height`` is in pixels. Further options are those of
    ``gemmscope page``: ``state``, ``rows``, ``format``, and dicts for ``column`` and ``answer``.
    The result shows itself as the last line of a cell; it has ``save(path)`` too.
    """
    if theme not in (None, "light", "dark"):
        raise ValueError(f"theme: expected light or dark: {theme}")
    with Data(data) as files:
        html = run("page", *files, device=device, view=view, output="-", **options)
        return Page(html, theme=theme, height=height, title=files.title)


def summary(data, *, device=None, **options):
    """The figures as a dict; for several files or tables a list of dicts.

    ``gemmscope/summary/1`` in the documentation describes the keys.
    """
    with Data(data) as files:
        text = run("summary", *files, device=device, **options)
    objects = [json.loads(line) for line in text.split("\n") if line]
    tables = [o for o in objects if "rows_read" in o]
    failed = [{"level": "error", **o, "message": o["error"]} for o in objects if "error" in o]
    if failed and not tables:
        raise Error(failed)
    return tables[0] if len(objects) == 1 and tables else objects


def report(data, *, device=None, form="markdown", **options):
    """The findings as a document: markdown, html, summary (short); with ``form="json"`` a dict."""
    with Data(data) as files:
        text = run("report", *files, device=device, form=form, **options)
    return json.loads(text) if form == "json" else text


def check(data, *, baseline=None, device=None, **options):
    """Limits as a dict with ``held``: ``min_efficiency``, ``each``, ``max_regression``.

    ``baseline`` is data too, one file or table; its GEMMs that are ``missing`` break the verdict too, unless
    ``allow_missing``. A broken limit raises nothing.
    """
    with Data(data) as files, Data([] if baseline is None else baseline, "baseline") as before:
        if len(before.paths) > 1:
            raise ValueError("baseline: expected one file or table")
        old = next(iter(before), None)
        text = run("check", *files, device=device, baseline=old, **options)
    return json.loads(text)


def reference(device, precision, *shapes):
    """What others reach, as a list of dicts ``m``, ``n``, ``k``, ``time_s``, ``by``, one a shape.

    ``shapes`` are tuples (M, N, K); ``time_s`` is None where nothing is published near one.
    ``gemmscope reference`` lists devices and precisions.
    """
    sizes = ["x".join(str(size) for size in shape) for shape in shapes]
    return json.loads(run("reference", device, precision, *sizes))["times"] if sizes else []
