// Pages of others that hold the element: a folder of them, served on an origin of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../scripts/static.mjs";
import { newContext } from "./harness.mjs";

/** The policy that the embedding guide names for a plain page. */
export const policyOf = (viewer) => {
  const { origin } = new URL(viewer);
  return `default-src 'none'; script-src 'self' ${origin}; frame-src ${origin}; connect-src 'self'; base-uri 'none'; form-action 'none'`;
};

/** A folder for host pages: `write(name, text)`, `serve(headers)`, `open(t, name, body)`, `close()`. */
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

  /** Opens a host page with this body; records what went wrong on it and in its frames. `go` false leaves opening to the
   *  caller. */
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

/** Waits until so many frames of the page listen. */
export const listening = (page, n) => page.waitForFunction((n) => window.hellos >= n, n);

/** Waits until every element shows its data. */
export const loaded = (page, selector = "gemm-scope") =>
  page.waitForFunction((s) => [...document.querySelectorAll(s)].every((e) => e.shadowRoot?.querySelector(".ready")), selector, { timeout: 30_000 });

export const summary = (page, i = 0) => page.evaluate((i) => document.querySelectorAll("gemm-scope")[i].export("summary"), i);

/** What an element says is wrong; "" where nothing is. */
export const problem = (page, i = 0) =>
  page.evaluate((i) => {
    const line = document.querySelectorAll("gemm-scope")[i].shadowRoot.querySelector(".problem");
    return getComputedStyle(line).display === "none" ? "" : line.textContent;
  }, i);
