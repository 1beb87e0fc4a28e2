// Host pages that embed the element: a folder of them, served on a separate origin.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { MIME, serve } from "../scripts/static.mjs";
import { dist, newContext } from "./harness.mjs";

/** The policy that the embedding guide gives for a plain page. */
export const policyOf = (viewer) => {
  const { origin } = new URL(viewer);
  return `default-src 'none'; script-src 'self' ${origin}; frame-src ${origin}; connect-src 'self'; base-uri 'none'; form-action 'none'`;
};

/** A folder of host pages: `write(name, text)`, `serve(headers)`, `open(t, name, body)`, `close()`. */
export class Hosts {
  #servers = [];
  folder = mkdtempSync(join(tmpdir(), "gemmscope-host-"));

  write(name, text) {
    writeFileSync(join(this.folder, name), text);
  }

  async serve(headers = {}) {
    const server = await serve(this.folder, { headers });
    this.#servers.push(server);
    return server;
  }

  async close() {
    for (const server of this.#servers) await server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Prepares a host page with this body; records errors in it and in its frames. With `go` false the caller opens
   *  it. */
  async open(t, from, name, body, { head = "", go = true, ...options } = {}) {
    this.write(`${name}.html`, `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>${head}\n${body}\n</html>`);
    const context = await newContext({ viewport: { width: 900, height: 900 }, colorScheme: "light", ...options });
    t.after(() => context.close());
    const page = await context.newPage();
    page.trouble = [];
    page.on("console", (m) => m.type() === "error" && page.trouble.push(m.text()));
    page.on("pageerror", (e) => page.trouble.push(String(e)));
    page.asked = [];
    context.on("request", (r) => page.asked.push(r.url()));
    // A frame says hello once it listens.
    await page.addInitScript(() => {
      window.hellos = 0;
      addEventListener("message", (e) => (window.hellos += e.data?.gemm?.type === "hello"));
    });
    if (go) await page.goto(`${from.url}${name}.html`);
    return page;
  }
}

/** Waits until this number of frames listen. */
export const listening = (page, n) => page.waitForFunction((n) => window.hellos >= n, n);

/** Waits until every element shows its data. */
export const loaded = (page, selector = "gemm-scope") =>
  page.waitForFunction((s) => [...document.querySelectorAll(s)].every((e) => e.shadowRoot?.querySelector(".ready")), selector, { timeout: 30_000 });

export const summary = (page, i = 0) => page.evaluate((i) => document.querySelectorAll("gemm-scope")[i].export("summary"), i);

/** Error message of an element; "" if there is none. */
export const problem = (page, i = 0) =>
  page.evaluate((i) => {
    const line = document.querySelectorAll("gemm-scope")[i].shadowRoot.querySelector(".problem");
    return getComputedStyle(line).display === "none" ? "" : line.textContent;
  }, i);

/** The built site and the files of `folder`, served so that files that match `slow` arrive only as far as a test
 *  allows: `to(0.5)` sends half of each, `cut()` breaks open connections. */
export async function slowLine(t, slow, folder = dist) {
  const line = { share: 0, open: new Set() };
  const push = (answer) => {
    const upTo = Math.floor(line.share * answer.bytes.length);
    if (upTo > answer.sent) answer.response.write(answer.bytes.subarray(answer.sent, upTo));
    answer.sent = upTo;
    if (line.share < 1) return;
    answer.response.end();
    line.open.delete(answer);
  };
  line.to = (share) => {
    line.share = share;
    line.open.forEach(push);
  };
  line.cut = () => {
    for (const { response } of line.open) response.destroy();
    line.open.clear();
  };
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url, "http://localhost").pathname) || "index.html";
    let bytes;
    for (const place of [folder, dist]) {
      try {
        bytes ??= readFileSync(join(place, name));
      } catch {
        // Try the other folder.
      }
    }
    if (!bytes) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": MIME[extname(name)], "content-length": bytes.length, "access-control-allow-origin": "*", "cache-control": "no-store" });
    if (!slow.test(name)) return response.end(bytes);
    const answer = { response, bytes, sent: 0 };
    line.open.add(answer);
    response.on("close", () => line.open.delete(answer));
    // Headers are sent before the bytes.
    response.flushHeaders();
    push(answer);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => new Promise((done) => (server.close(done), server.closeAllConnections())));
  line.url = `http://127.0.0.1:${server.address().port}/`;
  return line;
}
