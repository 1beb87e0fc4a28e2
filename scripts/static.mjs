// A small static file server for dist/: correct MIME types, and the policy that index.html has as a <meta> as headers,
// so that what runs here also runs under a host that sets it.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

export const CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

/** The policy of a page: open.html may fetch from other hosts; the one-file page (by hashes) and the playground
 *  (which has a frame) have their own. */
function policyOf(path, policy) {
  if (path.endsWith("open.html")) return policy.replace("connect-src 'self'", "connect-src 'self' https: http://localhost:* http://127.0.0.1:*");
  return /(gemmscope|playground)\.html$/.test(path) ? undefined : policy;
}

/** Header sets to serve with: those of a strict host, and those of GitHub Pages. */
export const HEADERS = {
  strict: { "content-security-policy": CSP, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" },
  pages: { "access-control-allow-origin": "*" },
};

export const MIME = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".gz": "application/gzip",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** Serves `root` under `base`; port 0 chooses a free one. Resolves to { url, close() }. */
export function serve(root, { base = "/", port = 0, host = "127.0.0.1", headers = HEADERS.strict } = {}) {
  const server = createServer((request, response) => {
    const send = (status, text) => response.writeHead(status, { "content-type": MIME[".txt"], ...headers }).end(text);
    if (request.method !== "GET" && request.method !== "HEAD") return send(405, "only GET");
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    } catch {
      return send(400, "bad URL");
    }
    if (!path.startsWith(base)) return send(404, "not found");
    path = normalize(join(root, path.slice(base.length)));
    if (path !== normalize(root) && !path.startsWith(normalize(root + sep))) return send(404, "not found");
    let stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) stat = statSync((path = join(path, "index.html")), { throwIfNoEntry: false });
    if (!stat?.isFile()) return send(404, "not found");
    const own = { ...headers };
    if (own["content-security-policy"] === CSP) {
      const policy = policyOf(path, CSP);
      if (policy) own["content-security-policy"] = policy;
      else delete own["content-security-policy"];
    }
    response.writeHead(200, {
      "content-type": MIME[extname(path)] ?? "application/octet-stream",
      "content-length": stat.size,
      "cache-control": "no-cache",
      ...own,
    });
    if (request.method === "HEAD") return response.end();
    createReadStream(path).on("error", () => response.destroy()).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () =>
      resolve({
        url: `http://${host}:${server.address().port}${base}`,
        close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
      }),
    );
  });
}
