// Shows the element with what the form says, and every message that passes.
import { mount } from "./gemm-scope.js";

const form = document.querySelector("#form");
const stage = document.querySelector("#stage");
const log = document.querySelector("#log");
let chart;

function note(text) {
  const line = document.createElement("li");
  line.textContent = text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
  log.append(line);
  log.scrollTop = log.scrollHeight;
}

function show() {
  const { data, view, device, theme, controls, isolate } = Object.fromEntries(new FormData(form));
  chart?.remove();
  chart = mount(stage, { view, device, theme, controls: controls ? true : null, isolate: isolate ? true : null, loading: "eager" });
  document.querySelector("#markup").textContent =
    chart.outerHTML.replace("></gemm-scope>", ' src="bench.csv"></gemm-scope>') + '\n<script type="module" src="…/gemm-scope.js"></' + "script>";
  chart.addEventListener("gemm-message", (event) => note(`frame → host  ${JSON.stringify(event.detail.message)}`));
  for (const type of ["gemm-load", "gemm-change", "gemm-error"]) {
    chart.addEventListener(type, (event) => note(`event ${type}  ${JSON.stringify(event.detail)}`));
  }
  note(`host → frame  load, ${data.length} characters`);
  chart.load(data, { name: "typed.csv" }).catch(
    (error) => note(`refused: ${error.message}`),
  );
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
for (const button of document.querySelectorAll("[data-export]")) {
  button.addEventListener("click", () => {
    note(`host → frame  export ${button.dataset.export}`);
    chart.export(button.dataset.export).catch((error) => note(`refused: ${error.message}`));
  });
}
show();
