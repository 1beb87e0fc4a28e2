"""What the module adds to the command: data in, results and errors out.

GEMMSCOPE names the command: `make test` builds it before. DataFrames are tested where their package is installed.
"""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "src"))
os.environ.setdefault("GEMMSCOPE", str(PROJECT / "target" / "debug" / "gemmscope"))

import gemmscope  # noqa: E402
from gemmscope import _command  # noqa: E402

ROWS = [
    {"M": 4096, "N": 4096, "K": 4096, "dtype": "fp16", "time_us": 690},
    {"M": 4096, "N": 4096, "K": 2048, "dtype": "fp16", "time_us": 210, "library": "a, b"},
]
TEXT = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n"
SLOT = '<script type="text/plain" id="gemmscope-data">'
APP = f'<!doctype html>\n<html lang="en"><body>{SLOT}</script><p class="x">program & more</p></body></html>'


def has(package):
    return importlib.util.find_spec(package) is not None


class Tables(unittest.TestCase):
    def same(self, data, rows=2):
        found = gemmscope.summary(data, device="mi300x")
        self.assertEqual(found["rows_used"], rows)
        self.assertAlmostEqual(found["max_tflops"], 327.2, places=0)
        self.assertEqual(found["file"], "data.csv")

    def test_rows_columns_and_text(self):
        self.same(ROWS)
        self.same({name: [row.get(name) for row in ROWS] for name in ("M", "N", "K", "dtype", "time_us")})
        self.same(TEXT + "4096,4096,2048,fp16,210\n")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas

        frame = pandas.DataFrame(ROWS)
        self.same(frame)
        self.same(frame.set_index(["M", "N", "K"]))

    @unittest.skipUnless(has("polars"), "polars is not installed")
    def test_polars(self):
        import polars

        self.same(polars.DataFrame(ROWS))

    def test_paths_and_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "--odd name.csv"
            path.write_text(TEXT)
            self.assertEqual(gemmscope.summary(path)["file"], "--odd name.csv")
            several = gemmscope.summary([str(path), ROWS])
        self.assertEqual([s["rows_used"] for s in several[:2]], [1, 2])
        with self.assertRaises(TypeError):
            gemmscope.summary(7)


class OddData(unittest.TestCase):
    """Whatever the data holds: figures, or gemmscope.Error."""

    LONE = "a\ud800b\udc80"

    def test_lone_surrogates_are_names_like_others(self):
        rows = [{**row, "library": self.LONE, self.LONE: 1} for row in ROWS]
        columns = {name: [row[name] for row in rows] for name in ("M", "N", "K", "dtype", "time_us", "library")}
        text = TEXT.replace("time_us", "time_us,library").replace("690", f"690,{self.LONE}")
        for data, used in ((rows, 2), (columns, 2), (text, 1)):
            self.assertEqual(gemmscope.summary(data, device="mi300x")["rows_used"], used)
            self.assertIn("ud800b", json.dumps(gemmscope.summary(data, device="mi300x")) + gemmscope.report(data, form="html"))

    def test_a_frame_is_asked_to_escape_them(self):
        class Frame:
            index = mock.Mock(names=[None])

            def to_csv(self, path, index, encoding, errors):
                pathlib.Path(path).write_bytes((TEXT + OddData.LONE).encode(encoding, errors))

        self.assertEqual(gemmscope.summary(Frame())["rows_used"], 1)

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas

        frame = pandas.DataFrame([{**row, "library": self.LONE} for row in ROWS])
        self.assertEqual(gemmscope.summary(frame)["rows_used"], 2)

    def test_what_cannot_be_a_table_is_an_error_of_the_package(self):
        class Mute:
            def __str__(self):
                raise RuntimeError("no text")

        class Frame:
            index = mock.Mock(names=[None])

            def to_csv(self, *_, **__):
                raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")

        uneven = {"M": [1, 2], "N": [1], "K": [1, 2], "time_us": [1, 2]}
        for data in ([{**ROWS[0], "library": Mute()}], Frame(), uneven, {"M": 1, "N": 2}):
            with self.assertRaises(gemmscope.Error) as caught:
                gemmscope.summary(data)
            self.assertEqual((caught.exception.code, caught.exception.file), ("cannot-read", "data.csv"))
        self.assertIn("unlike length", str(self.error(uneven)))

    def error(self, data, **options):
        with self.assertRaises(gemmscope.Error) as caught:
            gemmscope.summary(data, **options)
        return caught.exception

    def test_words_that_no_command_line_holds(self):
        for data, options in (("a\0b.csv", {}), ("\ud800.csv", {}), (ROWS, {"device": "\ud800"}), (ROWS, {"device": "a\0"})):
            said = self.error(data, **options)
            self.assertEqual(said.code, "usage")
            str(said).encode("utf-8")

    @unittest.skipIf(os.name == "nt", "names of files are text there")
    def test_a_file_with_a_name_that_is_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.fsencode(folder), b"\xff.csv")
            with open(path, "w") as out:
                out.write(TEXT)
            self.assertEqual(gemmscope.summary(os.fsdecode(path))["rows_used"], 1)
            with gemmscope._data.Data(os.fsdecode(path)) as files:
                files.title.encode("utf-8")


class Results(unittest.TestCase):
    def test_report(self):
        self.assertTrue(gemmscope.report(ROWS, device="mi300x").startswith("# "))
        self.assertIn("<html", gemmscope.report(ROWS, device="mi300x", form="html"))
        self.assertEqual(gemmscope.report(ROWS, device="mi300x", form="json")["schema"], "gemmscope/report/4")

    def test_check(self):
        slower = [{**row, "time_us": row["time_us"] * 1.1} for row in ROWS]
        self.assertTrue(gemmscope.check(ROWS, baseline=slower)["held"])
        broken = gemmscope.check(slower, baseline=ROWS, max_regression="5%")
        self.assertIs(broken["held"], False)
        self.assertEqual(len(broken["limits"][0]["rows"]), 2)
        self.assertTrue(gemmscope.check(ROWS, device="mi300x", min_efficiency=0.1, each=True)["held"])

    def test_what_others_reach(self):
        near, none = gemmscope.reference("h100-sxm", "bf16", (4096, 4096, 4096), (1, 1, 9_999_999))
        self.assertAlmostEqual(near["time_s"], 166e-6, delta=3e-6)
        self.assertIsNone(none["time_s"])
        with self.assertRaises(gemmscope.Error):
            gemmscope.reference("tpu-v4", "bf16", (1, 1, 1))

    def test_options_of_the_command(self):
        odd = "a,b,c,speed\n8,8,8,2\n"
        found = gemmscope.summary(odd, column={"a": "m", "b": "n", "c": "k", "speed": "rate:tflops"})
        self.assertEqual((found["rows_used"], found["max_tflops"]), (1, 2.0))

    def test_errors_and_warnings(self):
        with self.assertRaises(gemmscope.Error) as caught:
            gemmscope.summary("no-such-file.csv")
        self.assertEqual((caught.exception.code, caught.exception.file), ("cannot-read", "no-such-file.csv"))
        with self.assertRaises(gemmscope.Error) as caught:
            gemmscope.report(ROWS, device="quux")
        self.assertEqual(caught.exception.code, "usage")
        self.assertIn("quux", str(caught.exception))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            gemmscope.report(TEXT + "1,2,3,fp16,0\n")
        self.assertEqual(said[0].category, gemmscope.Warning)
        self.assertIn("1 row skipped", str(said[0].message))
        self.assertEqual(said[0].filename, __file__)


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.app = pathlib.Path(folder.name) / "app.html"
        self.app.write_text(APP)

    def show(self, **options):
        return gemmscope.show(ROWS, device="mi300x", app=self.app, **options)

    def test_the_output_of_a_cell_is_the_page(self):
        page = self.show(view="explore", height=400)
        self.assertIn("v=1&view=explore&device=mi300x\n", page.html)
        frame = page._repr_html_()
        frame, script = frame.split("</iframe>")
        self.assertTrue(frame.startswith("<iframe ") and script.startswith("<script>"))
        self.assertIn('height="400"', frame)
        self.assertIn("program &amp; more", frame)
        # Nothing of the page ends the attribute, and the page cannot reach the notebook.
        self.assertEqual(frame.count("<"), 1)
        self.assertNotIn("allow-same-origin", frame)
        self.assertIn("data.csv", repr(page))

    def test_theme_and_file(self):
        self.assertNotIn("data-theme", self.show().html)
        page = self.show(theme="dark")
        self.assertIn('<html lang="en" data-theme="dark">', page.html)
        self.assertTrue(page._repr_html_().endswith("</iframe>"))
        saved = self.app.with_name("saved.html")
        page.save(saved)
        self.assertEqual(saved.read_text(), page.html)

    def test_a_saved_page_is_whole_or_what_was_there(self):
        saved, link = self.app.with_name("saved.html"), self.app.with_name("link.html")
        saved.write_text("before")
        saved.chmod(0o640)
        os.symlink(saved, link)
        # What no file can hold stands at its end.
        with self.assertRaises(UnicodeEncodeError):
            gemmscope.Page("x" * 100_000 + "\ud800").save(saved)
        self.assertEqual(saved.read_text(), "before")
        self.assertFalse([name for name in os.listdir(saved.parent) if name.endswith(".part")])
        gemmscope.Page("whole").save(link)
        self.assertEqual((saved.read_text(), link.read_text(), link.is_symlink()), ("before", "whole", False))
        gemmscope.Page("whole").save(saved)
        self.assertEqual((saved.read_text(), saved.stat().st_mode & 0o777), ("whole", 0o640))
        gemmscope.Page("whole").save(os.devnull)
        self.assertFalse(os.path.isfile(os.devnull))
        with self.assertRaises(ValueError):
            self.show(theme="pink")


@unittest.skipIf(os.name == "nt", "the stand-in for a release's command is a shell script")
class Documentation(unittest.TestCase):
    """The examples for Python run as they stand, with a command that carries a page."""

    def blocks(self, path):
        text = (PROJECT / path).read_text(encoding="utf-8")
        return [part.split("```")[0] for part in text.split("```python\n")[1:]]

    def test_every_example_runs(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "app.html").write_text(APP)
        for name in ("bench.csv", "main.csv"):
            (folder / name).write_text(TEXT)
        shutil.copy(PROJECT / "tests" / "fixtures" / "kineto" / "mi300.json", folder / "trace.json")
        own = folder / "gemmscope"
        own.write_text(
            f'#!/bin/sh\nc=$1\nshift\n[ "$c" != page ] || set -- --app app.html "$@"\nexec "{_command.program()}" "$c" "$@"\n'
        )
        own.chmod(0o755)
        stack.enter_context(mock.patch.dict(os.environ, {"GEMMSCOPE": str(own)}))
        before = os.getcwd()
        stack.callback(os.chdir, before)
        os.chdir(folder)
        known = {"df": ROWS, "times": [690e-6, 700e-6]}
        blocks = self.blocks("docs/src/notebook.md") + self.blocks("python/README.md") + self.blocks("README.md")
        self.assertGreaterEqual(len(blocks), 4)
        for block in blocks:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(block, "example", "exec"), known)  # noqa: S102

    def test_the_bench_of_the_book_writes_a_table_that_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            if not has("numpy"):
                stand_in = "float32 = None\nclass ones:\n    def __init__(*_): pass\n    def __matmul__(a, b): return a\n"
                (pathlib.Path(folder) / "numpy.py").write_text(stand_in)
            script = [sys.executable, PROJECT / "docs" / "examples" / "bench.py"]
            subprocess.run(script, cwd=folder, check=True, env={**os.environ, "PYTHONPATH": folder})
            said = gemmscope.summary(str(pathlib.Path(folder) / "bench.csv"))
        self.assertEqual((said["format"], said["rows_read"], said["rows_used"]), ("generic", 3, 3))

    def test_the_recording_of_the_book_runs_one_step_and_writes_a_trace(self):
        torch, step = mock.MagicMock(), mock.Mock()
        modules = {"torch": torch, "torch.profiler": torch.profiler}
        source = (PROJECT / "docs" / "examples" / "trace.py").read_text(encoding="utf-8")
        with mock.patch.dict(sys.modules, modules):
            exec(compile(source, "trace.py", "exec"), {"step": step})  # noqa: S102
        self.assertEqual(step.call_count, 2)
        self.assertIs(torch.profiler.profile.call_args.kwargs["record_shapes"], True)
        trace = torch.profiler.profile.return_value.__enter__.return_value
        trace.export_chrome_trace.assert_called_once_with("trace.json.gz")


class Program(unittest.TestCase):
    def test_a_missing_command_is_told(self):
        kept = dict(os.environ)
        self.addCleanup(os.environ.update, kept)
        del os.environ["GEMMSCOPE"]
        os.environ["PATH"] = ""
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            scripts, executable = _command.sysconfig.get_path, sys.executable
            stack.callback(setattr, _command.sysconfig, "get_path", scripts)
            stack.callback(setattr, sys, "executable", executable)
            _command.sysconfig.get_path = lambda *_: folder
            sys.executable = os.path.join(folder, "python3")
            with self.assertRaises(FileNotFoundError):
                _command.program()
            own = os.path.join(folder, _command.NAME)
            pathlib.Path(own).write_text("")
            self.assertEqual(_command.program(), own)

    def test_lines_that_are_no_messages_are_kept(self):
        self.assertEqual(_command.message("Killed")["message"], "Killed")
        said = json.dumps({"level": "error", "code": "x", "file": "a", "line": 3, "message": "why"})
        self.assertEqual(_command.text(_command.message(said)), "a: line 3: why")
        with io.StringIO() as out:
            print(*_command.arguments({"each": True, "device": None, "answer": {"dtype": "bf16"}}), file=out)
            self.assertEqual(out.getvalue(), "--each --answer=dtype=bf16\n")


if __name__ == "__main__":
    unittest.main()
