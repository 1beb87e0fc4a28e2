// node scripts/serve.mjs [dist] [8080] [/] [strict]: serves the built site on this machine only, below a path and with
// one of the header sets of static.mjs.
import { HEADERS, serve } from "./static.mjs";

const [root = "dist", port = "8080", base = "/", headers = "strict"] = process.argv.slice(2);
try {
  const { url } = await serve(root, { port: Number(port), base, headers: HEADERS[headers] });
  console.log(`gemmscope is at ${url}  (Ctrl+C stops it)`);
} catch (error) {
  if (error.code !== "EADDRINUSE") throw error;
  console.error(`Port ${port} is taken. Another one: make serve PORT=8081`);
  process.exitCode = 1;
}
