// The page's worker: the page's own wasm, already compiled (see boot.mjs), away from the thread that paints.
// The first message is { type: "boot", js, module, life }; the reply is { type: "ready" } or { type: "failed", message }.
// The worker holds the lock named by `life` until it ends, however that happens.

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
