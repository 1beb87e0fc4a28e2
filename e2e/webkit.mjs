// WebKit, the engine of Safari, for the tests of the main path: the small browser in Debian's webkit2gtk-driver, driven
// over HTTP by its WebKitWebDriver, on a virtual screen (Xvfb) if there is no real one.
import { execFileSync, spawn } from "node:child_process";
import { WebDriver, end, freePort } from "./webdriver.mjs";

/** Method and path of the commands. */
const COMMANDS = {
  Navigate: ["POST", "url"],
  SetTimeouts: ["POST", "timeouts"],
  ExecuteAsyncScript: ["POST", "execute/async"],
  FindElement: ["POST", "element"],
  ElementClick: ["POST", "element/{id}/click"],
  ElementSendKeys: ["POST", "element/{id}/value"],
  TakeScreenshot: ["GET", "screenshot"],
};

const runs = (name, ...args) => {
  try {
    return execFileSync(name, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }) || true;
  } catch (error) {
    return error.code !== "ENOENT";
  }
};

/** True if this machine has WebKit's driver and a screen for it. */
export const webkit = () => Boolean(runs("WebKitWebDriver", "--help") && (process.env.DISPLAY || runs("Xvfb", "-help")));

export class WebKit extends WebDriver {
  #children = []; #port; #session; #trouble = [];
  version;

  static async launch() {
    const it = new WebKit();
    // A test that crashes leaves no browser behind.
    process.once("exit", () => it.#children.forEach((child) => child.kill("SIGKILL")));
    try {
      await it.#start();
    } catch (error) {
      await it.close();
      throw error;
    }
    return it;
  }

  async #start() {
    const display = process.env.DISPLAY ?? `:${await this.#screen()}`;
    this.#port = await freePort();
    const driver = spawn("WebKitWebDriver", [`--port=${this.#port}`], { env: { ...process.env, DISPLAY: display }, stdio: "ignore" });
    this.#children.push(driver);
    for (const end = Date.now() + 30_000; !(await this.#ready()); await new Promise((done) => setTimeout(done, 100))) {
      if (Date.now() > end || driver.exitCode !== null) throw new Error("WebKitWebDriver does not start");
    }
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { args: ["--automation"] } } };
    const answer = await this.#send("POST", "", { capabilities });
    this.#session = answer.sessionId;
    this.version = `WebKitGTK ${answer.capabilities.browserVersion}`;
    await this.ask("SetTimeouts", { script: 60_000, pageLoad: 60_000 });
  }

  /** Starts a screen; returns its number. */
  async #screen() {
    const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1400x1000x24"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    this.#children.push(server);
    return new Promise((done, fail) => {
      server.stdio[3].once("data", (number) => done(String(number).trim()));
      server.once("exit", () => fail(new Error("Xvfb does not start")));
    });
  }

  #ready() {
    return fetch(`http://127.0.0.1:${this.#port}/status`).then((r) => r.ok, () => false);
  }

  async #send(method, path, parameters) {
    const body = method === "POST" ? JSON.stringify(parameters) : undefined;
    // A driver that stops answering is a named error, not a test that hangs.
    const response = await fetch(`http://127.0.0.1:${this.#port}/session${path}`, { method, body, signal: AbortSignal.timeout(90_000) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  ask(name, { id, ...parameters } = {}) {
    const [method, path] = COMMANDS[name];
    return this.#send(method, `/${this.#session}/${path.replace("{id}", id)}`, parameters);
  }

  /** Under load WebKitGTK's driver sometimes cannot read back the result of a function, which is no fault of the
   *  page. The functions only query, so they are run again, once. */
  async evaluate(run, ...args) {
    try {
      return await super.evaluate(run, ...args);
    } catch (error) {
      if (!error.message.includes("Could not parse script result")) throw error;
      return super.evaluate(run, ...args);
    }
  }

  async goto(url) {
    await this.#listen();
    await super.goto(url);
    await this.#listen();
  }

  /** Takes what the page has logged so far, and starts to listen to it. The driver itself provides no log. */
  async #listen() {
    // The log is removed when read, so read it once.
    const logged = await super.evaluate(() => {
      if (!window.trouble) {
        const said = (window.trouble = []);
        addEventListener("error", (event) => said.push(event.message), true);
        addEventListener("unhandledrejection", (event) => said.push(String(event.reason)));
        addEventListener("securitypolicyviolation", (event) => said.push(`${event.effectiveDirective} blocked ${event.blockedURI}`));
        const { error } = console;
        console.error = (...words) => {
          said.push(words.join(" "));
          error(...words);
        };
      }
      return window.trouble.splice(0);
    });
    this.#trouble.push(...logged);
  }

  /** Errors and refusals since each page was loaded; the icon that the browser itself requests does not count. */
  async trouble() {
    await this.#listen();
    return this.#trouble.filter((line) => !line.endsWith("/favicon.ico"));
  }

  async close() {
    if (this.#session) await this.#send("DELETE", `/${this.#session}`).catch(() => {});
    // The driver first, then its screen.
    for (const child of this.#children.reverse()) await end(child);
  }
}
