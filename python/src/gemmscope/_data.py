"""Data of a notebook as files that the command reads."""

import csv
import os
import tempfile


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
        self.title = ", ".join(names)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._folder:
            self._folder.cleanup()

    def __iter__(self):
        return iter(self.paths)

    def _path(self, item):
        if isinstance(item, os.PathLike):
            return os.fspath(item)
        if isinstance(item, str) and "\n" not in item:
            return os.path.expanduser(item)
        if not self._folder:
            self._folder = tempfile.TemporaryDirectory(prefix="gemmscope-")
        number = "" if not self.paths else f"-{len(self.paths) + 1}"
        path = os.path.join(self._folder.name, f"{self._name}{number}.csv")
        write(item, path)
        return path


def is_list_of_data(data):
    """True for a list of files and tables; a list of dicts is one table."""
    return isinstance(data, (list, tuple)) and not (data and all(isinstance(row, dict) for row in data))


def write(table, path):
    """Writes one table as CSV."""
    if isinstance(table, str):
        with open(path, "w", encoding="utf-8") as out:
            out.write(table)
    elif hasattr(table, "write_csv"):  # polars
        table.write_csv(path)
    elif hasattr(table, "to_csv"):  # pandas; an index with a name is data, a running number is not
        index = any(name is not None for name in table.index.names)
        table.to_csv(path, index=index)
    elif isinstance(table, dict):
        write_rows(path, list(table), zip(*table.values()))
    elif isinstance(table, (list, tuple)) and all(isinstance(row, dict) for row in table):
        names = list(dict.fromkeys(name for row in table for name in row))
        write_rows(path, names, ([row.get(name) for name in names] for row in table))
    else:
        kind = type(table).__name__
        raise TypeError(f"expected a path, a DataFrame, a list of dicts or a dict of columns, not {kind}")


def write_rows(path, names, rows):
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(names)
        writer.writerows(rows)
