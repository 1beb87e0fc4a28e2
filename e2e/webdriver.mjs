// Interface of a browser that Playwright does not drive, for the tests of the main path, with the names of the
// WebDriver standard. Subclasses implement how a command is sent: `ask(name, parameters)`.
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";

/** Key under which WebDriver returns an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Ends a child process and waits for it; kills it if it does not react. */
export async function end(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await gone;
  clearTimeout(timer);
}

export class WebDriver {
  async goto(url) {
    await this.ask("Navigate", { url });
  }

  /** Runs a function on the page and returns its result, or what it resolves to. */
  async evaluate(run, ...args) {
    const script = `const [args, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
      Promise.resolve().then(() => (${run})(...args)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const value = await this.ask("ExecuteAsyncScript", { script, args });
    if (value.error) throw new Error(value.error);
    return value.value;
  }

  /** Waits until the function returns something true, and returns that. */
  async until(run, ...args) {
    const most = Number(process.env.GEMMSCOPE_WAIT ?? 60_000);
    for (const end = Date.now() + most; ; await new Promise((done) => setTimeout(done, 50))) {
      const value = await this.evaluate(run, ...args);
      if (value) return value;
      if (Date.now() > end) throw new Error(`not within ${most} ms: ${run}`);
    }
  }

  async #find(selector) {
    await this.until((selector) => Boolean(document.querySelector(selector)), selector);
    return (await this.ask("FindElement", { using: "css selector", value: selector }))[ELEMENT];
  }

  async click(selector) {
    await this.ask("ElementClick", { id: await this.#find(selector) });
  }

  /** Types text; for a file field, the path of a file. */
  async type(selector, text) {
    await this.ask("ElementSendKeys", { id: await this.#find(selector), text });
  }

  /** Saves a screenshot of the page, as PNG. */
  async screenshot(path) {
    writeFileSync(path, Buffer.from(await this.ask("TakeScreenshot", { full: false }), "base64"));
  }
}

/** A free port. */
export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
