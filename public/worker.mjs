// The page's worker: the page's own wasm, already compiled (see boot.mjs), away from the thread that paints.
// The first message is { type: "boot", js, module, life }; the reply is { type: "ready" } or { type: "failed", message }.
// The worker holds the lock named by `life` until it ends, however that happens.

globalThis.gemmscopeBoot = {
  /** Opens a Parquet file, as boot.mjs does for the page. */
  async openParquet(blob, limit) {
    const reader = await import(new URL(`parquet.mjs${new URL(import.meta.url).search}`, import.meta.url)).catch(() => {
      throw new Error("the page's reader of Parquet files could not be fetched: check the connection and choose the file again");
    });
    return reader.open(blob, limit);
  },
};

addEventListener("message", async ({ data }) => {
  if (data?.type !== "boot") return;
  try {
    if (data.life) await new Promise((held) => navigator.locks.request(data.life, () => new Promise(() => held())).catch(held));
    const glue = await import(data.js);
    await glue.default({ module_or_path: data.module });
    postMessage({ type: "ready" });
  } catch (error) {
    postMessage({ type: "failed", message: String(error?.message ?? error) });
  }
}, { once: true });
