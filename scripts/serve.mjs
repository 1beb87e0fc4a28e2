// node scripts/serve.mjs [dist] [8080]: serves the built site on this machine only.
import { HEADERS, serve } from "./static.mjs";

const [root = "dist", port = "8080"] = process.argv.slice(2);
try {
  const { url } = await serve(root, { port: Number(port), headers: HEADERS.strict });
  console.log(`gemmscope is at ${url}  (Ctrl+C stops it)`);
} catch (error) {
  if (error.code !== "EADDRINUSE") throw error;
  console.error(`Port ${port} is taken. Another one: make serve PORT=8081`);
  process.exitCode = 1;
}
