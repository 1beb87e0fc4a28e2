"""Data of a notebook as files that the command reads."""

import csv
import os
import tempfile

from ._command import failure, printable


class Data:
    """The files of some data, as long as the ``with`` block runs."""

    def __init__(self, data, name="data"):
        self.paths = []
        self._folder = None
        self._name = name
        items = data if is_list_of_data(data) else [data]
        try:
            for item in items:
                self.paths.append(self._path(item))
        except BaseException:
            self.__exit__()
            raise
        names = [os.path.basename(os.path.normpath(path)) for path in self.paths]
        self.title = printable(", ".join(names))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._folder:
            self._folder.cleanup()

    def __iter__(self):
        return iter(self.paths)

    def _path(self, item):
        if isinstance(item, os.PathLike):
            return os.fsdecode(item)
        if isinstance(item, str) and "\n" not in item:
            return os.path.expanduser(item)
        if not self._folder:
            self._folder = tempfile.TemporaryDirectory(prefix="gemmscope-")
        number = "" if not self.paths else f"-{len(self.paths) + 1}"
        path = os.path.join(self._folder.name, f"{self._name}{number}.csv")
        save = writer(item)
        try:
            save(path)
        except Exception as why:
            # Whatever a cell is: an object that has no text, columns of unlike length.
            raise failure("cannot-read", why, os.path.basename(path)) from why
        return path


def is_list_of_data(data):
    """True for a list of files and tables; a list of dicts is one table."""
    return isinstance(data, (list, tuple)) and not (data and all(isinstance(row, dict) for row in data))


def writer(table):
    """What writes the table to a path, as CSV."""
    if isinstance(table, str):
        return lambda path: write_text(path, table)
    if hasattr(table, "write_csv"):  # polars
        return table.write_csv
    if hasattr(table, "to_csv"):  # pandas
        return lambda path: write_frame(path, table)
    if isinstance(table, dict):
        return lambda path: write_rows(path, list(table), columns(table))
    if isinstance(table, (list, tuple)) and all(isinstance(row, dict) for row in table):
        names = list(dict.fromkeys(name for row in table for name in row))
        return lambda path: write_rows(path, names, ([row.get(name) for name in names] for row in table))
    kind = type(table).__name__
    raise TypeError(f"expected a path, a DataFrame, a list of dicts or a dict of columns, not {kind}")


# A lone surrogate, which UTF-8 cannot hold, is written as its escape: a name with one is still a name.
ENCODING = {"encoding": "utf-8", "errors": "backslashreplace"}


def write_text(path, text):
    with open(path, "w", **ENCODING) as out:
        out.write(text)


def write_frame(path, frame):
    # An index with a name is data, a running number is not.
    index = any(name is not None for name in frame.index.names)
    frame.to_csv(path, index=index, **ENCODING)


def columns(table):
    """The rows of a dict of columns."""
    lengths = {name: len(column) for name, column in table.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of unlike length: {lengths}")
    return zip(*table.values())


def write_rows(path, names, rows):
    with open(path, "w", newline="", **ENCODING) as out:
        table = csv.writer(out)
        table.writerow(names)
        table.writerows(rows)
