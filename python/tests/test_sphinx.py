"""The directive in a site that Sphinx really builds, where Sphinx is installed.

GEMMSCOPE names the command, as in ``test_gemmscope.py``.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
SOURCE = HERE.parent / "src"
TEXT = "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n4096,4096,2048,fp16,350\n"


@unittest.skipUnless(importlib.util.find_spec("sphinx"), "Sphinx is not installed")
class Directive(unittest.TestCase):
    def build(self, page, *, viewer="", data=TEXT, builder="html", options=()):
        """Builds a site of one page; gives what Sphinx said, its exit code, and a folder with the result."""
        site = tempfile.TemporaryDirectory()
        self.addCleanup(site.cleanup)
        folder = pathlib.Path(site.name)
        (folder / "conf.py").write_text(f'extensions = ["gemmscope_sphinx"]\ngemm_scope_viewer = {viewer!r}\n')
        (folder / "index.rst").write_text(f"Page\n====\n\n{page}\n")
        (folder / "other.rst").write_text(":orphan:\n\nOther\n=====\n")
        (folder / "my bench.csv").write_text(data)
        env = {**os.environ, "PYTHONPATH": str(SOURCE)}
        env.setdefault("GEMMSCOPE", str(PROJECT / "target" / "debug" / "gemmscope"))
        command = [sys.executable, "-m", "sphinx", "-q", "-b", builder, *options, str(folder), str(folder / "out")]
        ran = subprocess.run(command, capture_output=True, text=True, env=env)
        return ran.stderr, ran.returncode, folder / "out"

    def test_the_picture_first_then_the_element(self):
        page = ".. gemm-scope:: my bench.csv\n   :device: mi300x\n   :view: roofline\n   :controls:\n   :height: 500\n"
        said, code, out = self.build(page, viewer="https://host/gemmscope/", options=["-W"])
        self.assertEqual((said, code), ("", 0))
        html = (out / "index.html").read_text()
        address = next(out.glob("_downloads/*/*")).relative_to(out).as_posix().replace(" ", "%20")
        picture = next(out.glob("_images/*.svg"))
        self.assertIn("MI300X", picture.read_text())
        element = html[html.index("<gemm-scope") : html.index("</gemm-scope>")]
        for word in (f'src="{address}"', 'device="mi300x"', 'view="roofline"', 'controls=""', 'height="500"'):
            self.assertIn(word, element)
        self.assertRegex(element, rf'<a [^>]*href="{address}"><img alt="Roofline of 2 rows [^"]*" src="_images/{picture.name}"')
        script = '<script type="module" src="https://host/gemmscope/gemm-scope.js"></script>'
        self.assertEqual(html.count(script), 1)
        self.assertNotIn(script, (out / "other.html").read_text())

    def test_without_a_viewer_and_in_other_builders_the_picture_alone(self):
        page = ".. gemm-scope:: my bench.csv\n   :device: mi300x\n   :alt: Two <GEMMs>\n"
        said, code, out = self.build(page, options=["-W"])
        self.assertEqual((said, code), ("", 0))
        html = (out / "index.html").read_text()
        self.assertNotIn("gemm-scope", html)
        self.assertIn('alt="Two &lt;GEMMs&gt;"', html)
        said, code, out = self.build(page, builder="text")
        self.assertEqual((said, code), ("", 0))
        self.assertIn("Two <GEMMs>", (out / "index.txt").read_text())

    def test_what_is_wrong_stands_at_its_line(self):
        said, _, _ = self.build(".. gemm-scope:: my bench.csv\n", data=TEXT + "8,8,8,fp16,none\n")
        self.assertRegex(said, r"index\.rst:4: WARNING: my bench\.csv.*skipped")
        said, _, _ = self.build(".. gemm-scope:: none.csv\n")
        self.assertRegex(said, r"index\.rst:4: ERROR: none\.csv: .*none\.csv")
        said, _, _ = self.build(".. gemm-scope:: my bench.csv\n   :device: abacus\n")
        self.assertRegex(said, r"index\.rst:4: ERROR: .*abacus")


if __name__ == "__main__":
    unittest.main()
