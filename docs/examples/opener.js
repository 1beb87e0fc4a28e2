const gemmscope = "https://host/gemmscope/";
document.querySelector("#open").onclick = () => {
  const tab = window.open(gemmscope); // Not "noopener": it would have nobody to ask.
  addEventListener("message", async function hello({ source, origin, data }) {
    if (source !== tab || origin !== new URL(gemmscope).origin || data?.gemm?.type !== "hello") return;
    removeEventListener("message", hello);
    const { port1, port2 } = new MessageChannel();
    tab.postMessage({ gemm: { v: 1, type: "connect" } }, origin, [port2]);
    const bytes = await (await fetch("bench.csv")).arrayBuffer();
    port1.postMessage({ type: "load", id: 1, name: "bench.csv", bytes }, [bytes]);
  });
};
