// The page as a user sees it: every selector of the end-to-end tests lives here, so that a change of markup is a
// change of one file.
import { openPage, upload, waitReady } from "./harness.mjs";

export class GemmscopePage {
  /** Opens the page; takes what `openPage` takes. */
  static async open(options) {
    return new GemmscopePage(await openPage(options));
  }

  constructor(page) {
    this.page = page;
  }

  get heading() {
    return this.page.getByRole("heading", { level: 1 });
  }

  /** What boot.mjs says when the page cannot start. */
  get bootError() {
    return this.page.locator(".boot-error");
  }

  async load(...files) {
    await this.page.evaluate(() => delete document.documentElement.dataset.ready);
    await upload(this.page, files);
    await waitReady(this.page);
  }
}
