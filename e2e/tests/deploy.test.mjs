// The server configuration of deploy/, run for real if nginx is installed; and the deployment to GitHub Pages.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { dist, fixture, newContext, waitReady } from "../harness.mjs";
import { freePort } from "../webdriver.mjs";
import { Hosts, loaded, policyOf, summary } from "../host.mjs";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

function nginx() {
  try {
    execFileSync("nginx", ["-v"], { stdio: "ignore" });
    return "nginx";
  } catch {
    return null;
  }
}

/** Runs nginx with the configuration of deploy/; returns its address and log, or null if it is missing. */
async function start(t) {
  const name = nginx();
  if (!name) return t.skip("there is no nginx, and scripts/setup.sh could not bring it"), null;
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-nginx-"));
  const port = await freePort();
  cpSync(dist, join(folder, "site"), { recursive: true });
  mkdirSync(join(folder, "site", "v0.1.0"));
  const conf = readFileSync(join(project, "deploy", "nginx.conf"), "utf8")
    .replaceAll("/tmp/", `${folder}/`)
    .replaceAll("/usr/share/gemmscope", join(folder, "site"))
    .replace("listen 8080", `listen 127.0.0.1:${port}`);
  writeFileSync(join(folder, "nginx.conf"), conf);
  // As root, its workers would change to a user that may not read this folder.
  const server = spawn(name, ["-c", join(folder, "nginx.conf"), "-g", `daemon off; ${process.getuid() === 0 ? "user root;" : ""}`], { stdio: "pipe" });
  let said = "";
  server.stderr.on("data", (chunk) => (said += chunk));
  t.after(() => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${port}/`;
  for (const end = Date.now() + 30_000; ; ) {
    try {
      await fetch(base);
      break;
    } catch {
      assert.ok(Date.now() < end, said);
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  return { base, said: () => said };
}

/** Size of an answer on the wire, bytes. */
const packed = (url) =>
  new Promise((done, fail) => {
    request(url, { headers: { "accept-encoding": "gzip" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk) => (bytes += chunk.length)).on("end", () => done(bytes));
    }).on("error", fail).end();
  });

test("nginx as the container runs it: headers, types, caching, and the page starts, alone and in a host that isolates itself", async (t) => {
  const server = await start(t);
  if (!server) return;
  const { base, said } = server;
  const ask = async (path) => {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 200, `${path}: ${said()}`);
    await answer.arrayBuffer();
    return answer.headers;
  };
  const hashed = readdirSync(dist).filter((n) => /-[0-9a-f]{12,16}(_bg)?\.\w+$/.test(n));
  const wasm = hashed.find((n) => n.endsWith("_bg.wasm"));
  const page = await ask("");
  // `frame-ancestors *` would exclude hosts without a network scheme.
  assert.equal(page.get("content-security-policy"), null);
  assert.equal(page.get("vary"), "Accept-Encoding");
  assert.equal(page.get("x-content-type-options"), "nosniff");
  assert.equal(page.get("access-control-allow-origin"), "*");
  assert.equal(page.get("cache-control"), "no-cache");
  const program = await ask(wasm);
  assert.equal(program.get("content-type"), "application/wasm");
  assert.equal(program.get("content-encoding"), "gzip");
  for (const kind of [/_bg\.wasm$/, /^gemmscope-page-.*\.js$/, /\.css$/]) assert.ok(hashed.some((n) => kind.test(n)), String(kind));
  for (const name of hashed) assert.equal((await ask(name)).get("cache-control"), "public, max-age=31536000, immutable", name);
  assert.equal((await fetch(`${base}gone-0123456789ab.wasm`)).headers.get("cache-control"), null);
  // About the size that `gzip -6` gives; the default level leaves a seventh more.
  const sent = await packed(base + wasm);
  const size = statSync(join(dist, wasm)).size;
  t.diagnostic(`${wasm}: ${size} bytes, ${sent} sent`);
  assert.ok(sent < gzipSync(readFileSync(join(dist, wasm)), { level: 5 }).length);
  assert.equal((await ask("boot.mjs")).get("content-type"), "text/javascript");
  assert.equal((await ask("manifest.webmanifest")).get("content-type"), "application/manifest+json");
  assert.equal((await fetch(`${base}no/such`)).status, 404);
  // A folder without its slash: the redirect does not contain the internal port.
  assert.equal((await fetch(`${base}v0.1.0`, { redirect: "manual" })).headers.get("location"), "/v0.1.0/");
  assert.equal((await fetch(base, { method: "POST" })).status, 403);
  const context = await newContext();
  t.after(() => context.close());
  const tab = await context.newPage();
  const wrong = [];
  tab.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
  await tab.goto(base);
  await waitReady(tab, 30_000);
  assert.deepEqual(wrong, []);

  // A host with cross-origin isolation shows what nginx serves.
  const hosts = new Hosts();
  t.after(() => hosts.close());
  hosts.write("bench.csv", readFileSync(fixture("fixtures/generic/plain.csv"), "utf8"));
  // No Cross-Origin-Opener-Policy, so the browser is not asked for a frame without cookies.
  const host = await hosts.serve({ "cross-origin-embedder-policy": "require-corp", "content-security-policy": policyOf(base) });
  const around = await hosts.open(t, host, "coep", `<body><gemm-scope loading="eager" src="bench.csv" device="mi300x"></gemm-scope><script type="module" src="${base}gemm-scope.js"></script>`);
  await loaded(around);
  assert.equal((await summary(around))[0].rows_used, 4);
  assert.deepEqual(around.trouble, []);
});

test("container, server and manifests agree: paths, stages, ports, names", () => {
  const read = (name) => readFileSync(join(project, "deploy", name), "utf8");
  const container = read("Containerfile");
  const server = read("nginx.conf");
  const port = server.match(/listen (\d+);/)[1];
  assert.equal(container.match(/^EXPOSE (\d+)$/m)[1], port);
  assert.equal(container.match(/--from=site \/src\/dist (\S+)/)[1], server.match(/^\s+root (\S+);/m)[1]);
  const left_out = readFileSync(join(project, ".dockerignore"), "utf8").split("\n").filter((line) => line.startsWith("/")).map((line) => line.slice(1));
  const copied = [...container.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths.split(" "));
  assert.ok(copied.length > 3, String(copied));
  for (const path of copied) {
    assert.ok(existsSync(join(project, path)), path);
    assert.ok(!left_out.some((name) => path === name || path.startsWith(`${name}/`)), `.dockerignore leaves out ${path}`);
  }
  const stages = [...container.matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, name]) => name);
  for (const [, from] of container.matchAll(/(?:--from=|^FROM )(\w+) /gm)) assert.ok(stages.includes(from), from);
  // The Python of the documentation tools has a YAML parser.
  const python = join(dirname(execFileSync("which", ["mkdocs"], { encoding: "utf8" })), "python");
  const script = "import json, sys, yaml; print(json.dumps([part for name in sys.argv[1:] for part in yaml.safe_load_all(open(name))]))";
  const files = ["kubernetes.yaml", "ingress.yaml"].map((name) => join(project, "deploy", name));
  const [deployment, service, ingress] = JSON.parse(execFileSync(python, ["-c", script, ...files], { encoding: "utf8" }));
  assert.deepEqual([deployment.kind, service.kind, ingress.kind], ["Deployment", "Service", "Ingress"]);
  const { template } = deployment.spec;
  const [site] = template.spec.containers;
  assert.equal(String(site.ports[0].containerPort), port);
  assert.equal(String(template.spec.securityContext.runAsUser), container.match(/^USER (\d+)$/m)[1]);
  assert.deepEqual(service.spec.selector, template.metadata.labels);
  assert.equal(service.spec.ports[0].targetPort, site.ports[0].name);
  assert.deepEqual(ingress.spec.rules[0].http.paths[0].backend.service, { name: service.metadata.name, port: { name: service.spec.ports[0].name } });
  assert.match(site.image, new RegExp(`:${readFileSync(join(project, "Cargo.toml"), "utf8").match(/^version = "(.*)"/m)[1]}$`));
});

test("releases without a site are passed over; a version has no folder before its release", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "gemmscope-pages-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // Stands in for GitHub: v0.3.0 is complete, v0.2.0 has no site.zip, v0.1.0 a broken one.
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "site"));
  for (const page of ["index.html", "open.html"]) writeFileSync(join(folder, "site", page), "boot.mjs?a&amp;sw=1");
  writeFileSync(join(folder, "site", "sw.js"), "");
  execFileSync(process.execPath, ["--input-type=module", "-e", `import { zip } from ${JSON.stringify(join(project, "scripts", "release.mjs"))}; import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(folder, "whole.zip"))}, zip(${JSON.stringify(join(folder, "site"))}));`]);
  const gh = join(folder, "bin", "gh");
  writeFileSync(
    gh,
    `#!/bin/sh
case "$1 $2 $3" in
  "release list"*) printf 'v0.3.0\\nv0.2.0\\nv0.1.0\\n' ;;
  "release download v0.3.0") cp ${folder}/whole.zip "$7/site.zip" ;;
  "release download v0.1.0") echo broken > "$7/site.zip" ;;
  *) echo "no assets match the file pattern" >&2; exit 1 ;;
esac
`,
  );
  chmodSync(gh, 0o755);
  const released = join(folder, "released");
  execFileSync(join(project, "scripts", "released.sh"), [released], { env: { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` }, stdio: "pipe" });
  assert.deepEqual(readdirSync(released), ["v0.3.0"]);
  const out = join(folder, "pages");
  execFileSync(process.execPath, [join(project, "scripts", "pages.mjs"), out], { env: { ...process.env, VERSIONS: released }, stdio: "pipe" });
  assert.deepEqual(readdirSync(out).filter((name) => /^v\d/.test(name)), ["v0.3.0"]);
  assert.equal(existsSync(join(out, "v0.3.0", "sw.js")), false);
  assert.equal(readFileSync(join(out, "v0.3.0", "index.html"), "utf8"), "boot.mjs?a");
  assert.ok(existsSync(join(out, "docs", "hosting.html")));
});
