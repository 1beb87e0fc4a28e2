// Links in the header of the start page. Where documentation and source lie is known to who builds: GEMMSCOPE_DOCS and
// GEMMSCOPE_SOURCE hold an address, or one beside the page. Without them there are none.

/** index.html with links to what is named. */
export function withLinks(html, { docs, source }) {
  const escaped = (url) => url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const links = [["Documentation", docs], ["Source", source]].filter(([, url]) => url).map(([name, url]) => `<a href="${escaped(url)}">${name}</a>`);
  if (!links.length) return html;
  const filled = html.replace(/(<nav class="?header-links"?[^>]*?) hidden(="")?>/, (_, nav) => `${nav}>${links.join("")}`);
  if (filled === html) throw new Error("index.html has no place for links");
  return filled;
}
