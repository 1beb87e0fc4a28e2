// A real Firefox for the tests of the main path. Playwright only drives its own Firefox, or one newer than Debian's, so
// this speaks Marionette: WebDriver commands that Firefox itself answers on a local port.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebDriver, end } from "./webdriver.mjs";

const PREFERENCES = {
  "marionette.port": 0,
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** The Firefox of this machine (FIREFOX names another one); null if there is none. */
export function firefox() {
  for (const name of [process.env.FIREFOX, "firefox-esr", "firefox"].filter(Boolean)) {
    try {
      return { name, version: execFileSync(name, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() };
    } catch {
      // Try the next one.
    }
  }
  return null;
}

export class Firefox extends WebDriver {
  version;
  #child; #profile; #socket; #asked = 0; #waiting = new Map();

  static async launch(name = firefox().name) {
    const it = new Firefox();
    it.version = firefox().version;
    it.#profile = mkdtempSync(join(tmpdir(), "gemmscope-firefox-"));
    const lines = Object.entries(PREFERENCES).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});\n`);
    writeFileSync(join(it.#profile, "user.js"), lines.join(""));
    it.#child = spawn(name, ["--headless", "--marionette", "-remote-allow-system-access", "--no-remote", "--profile", it.#profile], { stdio: "ignore" });
    // A test that crashes leaves no browser behind.
    process.once("exit", () => it.#child.kill("SIGKILL"));
    try {
      await it.#connect();
      await it.ask("NewSession", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
      await it.ask("SetTimeouts", { script: 60_000, pageLoad: 60_000 });
    } catch (error) {
      await it.close();
      throw error;
    }
    return it;
  }

  async #connect() {
    const file = join(this.#profile, "MarionetteActivePort");
    for (const end = Date.now() + 60_000; !existsSync(file) || !readFileSync(file, "utf8"); ) {
      if (Date.now() > end || this.#child.exitCode !== null) throw new Error("Firefox does not start");
      await new Promise((done) => setTimeout(done, 100));
    }
    this.#socket = connect(Number(readFileSync(file, "utf8")), "127.0.0.1");
    let rest = Buffer.alloc(0);
    const greeted = new Promise((done, fail) => {
      this.#socket.once("error", fail);
      this.#socket.on("data", (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        // A message is its length, a colon, JSON.
        for (let colon; (colon = rest.indexOf(":")) > 0; ) {
          const end = colon + 1 + Number(rest.subarray(0, colon));
          if (rest.length < end) return;
          const message = JSON.parse(rest.subarray(colon + 1, end));
          rest = rest.subarray(end);
          if (!Array.isArray(message)) done();
          else this.#settle(message);
        }
      });
    });
    this.#socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Firefox is gone"));
    });
    await greeted;
  }

  #settle([, id, error, result]) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(new Error(`${error.error}: ${error.message}`));
    else resolve?.(result);
  }

  async ask(name, parameters) {
    const result = await this.#send(`WebDriver:${name}`, parameters);
    // A new session has no `value`.
    return result && "value" in result ? result.value : result;
  }

  /** A command of Marionette and its answer. */
  #send(command, parameters = {}) {
    const id = ++this.#asked;
    const text = JSON.stringify([0, id, command, parameters]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  }

  /** Errors and refusals that Firefox logged for addresses that begin with `prefix`. */
  async trouble(prefix) {
    await this.#send("Marionette:SetContext", { value: "chrome" });
    const script = `return Services.console.getMessageArray()
      .filter((m) => m instanceof Ci.nsIScriptError && !(m.flags & Ci.nsIScriptError.warningFlag) && m.sourceName.startsWith(arguments[0]))
      .map((m) => m.errorMessage);`;
    const value = await this.ask("ExecuteScript", { script, args: [prefix] });
    await this.#send("Marionette:SetContext", { value: "content" });
    return value;
  }

  async close() {
    await this.#send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
    this.#socket?.destroy();
    await end(this.#child);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
