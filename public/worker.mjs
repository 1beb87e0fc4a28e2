// The page's worker: the page's own wasm, already compiled (see boot.mjs), away from the thread that paints.
// The first message is { type: "boot", js, module }; the reply is { type: "ready" } or { type: "failed", message }.

addEventListener("message", async ({ data }) => {
  if (data?.type !== "boot") return;
  try {
    const glue = await import(data.js);
    await glue.default({ module_or_path: data.module });
    postMessage({ type: "ready" });
  } catch (error) {
    postMessage({ type: "failed", message: String(error?.message ?? error) });
  }
}, { once: true });
