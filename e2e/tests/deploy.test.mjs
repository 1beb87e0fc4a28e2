// The server configuration of deploy/, run for real where nginx is installed.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { dist, launch, waitReady } from "../harness.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

function nginx() {
  try {
    execFileSync("nginx", ["-v"], { stdio: "ignore" });
    return "nginx";
  } catch {
    return null;
  }
}

test("nginx as the container runs it: headers, types, caching, and the page starts", async (t) => {
  const name = nginx();
  if (!name) return t.skip("there is no nginx, and scripts/setup.sh could not bring it");
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-nginx-"));
  const port = 20_000 + (process.pid % 20_000);
  const conf = readFileSync(join(project, "deploy", "nginx.conf"), "utf8")
    .replaceAll("/tmp/", `${folder}/`)
    .replaceAll("/usr/share/gemmscope", dist)
    .replace("listen 8080", `listen 127.0.0.1:${port}`);
  writeFileSync(join(folder, "nginx.conf"), conf);
  // Its workers would otherwise change to a user that may not read this folder.
  const server = spawn(name, ["-c", join(folder, "nginx.conf"), "-g", `daemon off; ${process.getuid() === 0 ? "user root;" : ""}`], { stdio: "pipe" });
  let said = "";
  server.stderr.on("data", (chunk) => (said += chunk));
  t.after(() => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${port}/`;
  for (let i = 0; ; i += 1) {
    try {
      await fetch(base);
      break;
    } catch {
      assert.ok(i < 50, said);
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  const ask = async (path) => {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 200, `${path}: ${said}`);
    await answer.arrayBuffer();
    return answer.headers;
  };
  const wasm = readdirSync(dist).find((n) => n.endsWith("_bg.wasm"));
  const page = await ask("");
  assert.equal(page.get("content-security-policy"), "frame-ancestors *");
  assert.equal(page.get("x-content-type-options"), "nosniff");
  assert.equal(page.get("access-control-allow-origin"), "*");
  assert.equal(page.get("cache-control"), "no-cache");
  const program = await ask(wasm);
  assert.equal(program.get("content-type"), "application/wasm");
  assert.equal(program.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(program.get("content-encoding"), "gzip");
  assert.equal((await ask("boot.mjs")).get("content-type"), "text/javascript");
  assert.equal((await ask("manifest.webmanifest")).get("content-type"), "application/manifest+json");
  assert.equal((await fetch(`${base}no/such`)).status, 404);
  assert.equal((await fetch(base, { method: "POST" })).status, 403);
  const context = await (await launch()).newContext();
  t.after(() => context.close());
  const tab = await context.newPage();
  const wrong = [];
  tab.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
  await tab.goto(base);
  await waitReady(tab, 30_000);
  assert.deepEqual(wrong, []);
});
