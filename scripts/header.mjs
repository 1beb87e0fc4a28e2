// Links in the header of the start page. The builder sets the locations of documentation and source: GEMMSCOPE_DOCS and
// GEMMSCOPE_SOURCE are an absolute address, or one relative to the page. Without them there are no links. Help links a
// chapter of the documentation (src/app/dialogs/help.rs).

/** index.html with links to the given addresses. */
export function withLinks(html, { docs, source }) {
  const escaped = (url) => url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const link = ([name, url, rel]) => `<a${rel} href="${escaped(url)}">${name}</a>`;
  const links = [["Documentation", docs, ' rel="help"'], ["Source", source, ""]].filter(([, url]) => url).map(link);
  if (!links.length) return html;
  const filled = html.replace(/(<nav class="?header-links"?[^>]*?) hidden(="")?>/, (_, nav) => `${nav}>${links.join("")}`);
  if (filled === html) throw new Error("index.html has no place for links");
  return filled;
}
