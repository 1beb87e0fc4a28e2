"""A page with its data, as the output of a cell."""

import contextlib
import os
import secrets
import shutil
from html import escape

# What the page needs. Without allow-same-origin it cannot reach the notebook around it.
SANDBOX = "allow-scripts allow-downloads allow-modals allow-popups"
ROOT = '<html lang="en">'
# The page follows the system; this gives it the theme of JupyterLab, VS Code or Colab where that is another one, also
# when the notebook takes its theme later, while the frame may be out of the document. A notebook may draw an output
# twice, so the frame is the one beside the script. Where no scripts run, the page is there all the same.
FOLLOW = """<script>(() => {
const beside = document.currentScript?.previousElementSibling;
const found = beside?.srcdoc ? beside : document.getElementById("%s"), html = document.documentElement, body = document.body;
if (!found) return;
found.page = found.srcdoc;
let held = new WeakRef(found);
let shown = matchMedia("(prefers-color-scheme: dark)").matches;
const follow = () => {
  const frame = held.deref();
  if (!frame) return watch.disconnect();
  const jupyter = body.dataset.jpThemeLight ?? html.dataset.jpThemeLight;
  const code = body.dataset.vscodeThemeKind, colab = html.getAttribute("theme");
  const dark = jupyter ? jupyter === "false" : code ? /dark|-contrast$/.test(code) : colab ? colab === "dark" : shown;
  if (dark === shown) return;
  shown = dark;
  const next = frame.cloneNode();
  next.page = frame.page;
  held = new WeakRef(next);
  next.srcdoc = frame.page.replace('%s', `<html lang="en" data-theme="${dark ? "dark" : "light"}">`);
  // A frame that still loads its first page may drop the second one.
  frame.replaceWith(next);
};
const watch = new MutationObserver(follow);
for (const element of [html, body]) watch.observe(element, { attributes: true });
follow();
})();</script>"""


class Page:
    """The one-file page: shows itself in a notebook, and ``save`` writes it for later."""

    def __init__(self, html, *, theme=None, height=620, title="gemmscope"):
        self.html = html.replace(ROOT, f'<html lang="en" data-theme="{theme}">', 1) if theme else html
        self.height = height
        self.title = title
        self._follows = not theme

    def save(self, path):
        """Writes the page as a file that opens from disk: all of it, or nothing where that fails."""
        path = os.fsdecode(path)
        if os.path.exists(path) and not os.path.isfile(path):  # A device, a FIFO.
            with open(path, "w", encoding="utf-8") as out:
                out.write(self.html)
            return
        part = os.path.join(os.path.dirname(path), f".gemmscope-{secrets.token_hex(6)}.part")
        try:
            with open(part, "x", encoding="utf-8") as out:
                out.write(self.html)
                out.flush()
                os.fsync(out.fileno())
            # A link is replaced rather than followed.
            if os.path.isfile(path) and not os.path.islink(path):
                shutil.copymode(path, part)
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise

    def _repr_html_(self):
        key = f"gemmscope-{secrets.token_hex(6)}"
        inside = escape(self.html)
        title = escape(f"gemmscope: {self.title}")
        follow = FOLLOW % (key, ROOT) if self._follows else ""
        return (
            f'<iframe id="{key}" title="{title}" sandbox="{SANDBOX}" width="100%" height="{int(self.height)}" '
            f'style="border:0" srcdoc="{inside}"></iframe>{follow}'
        )

    def __repr__(self):
        return f"<gemmscope page of {self.title}, {len(self.html) / 1e6:.1f} MB>"
