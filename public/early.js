// Runs before the first paint: a stored theme must not flash, and a script that does not arrive must not leave a
// page that says nothing. A classic script, because modules wait for the whole document.
(function () {
  "use strict";
  var root = document.documentElement;
  var query = new URLSearchParams(location.search);
  try {
    // Inside another page the host says which theme, and nothing is stored.
    var theme = query.get("embed") ? query.get("theme") : localStorage.getItem("gemmscope.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch (_) {
    // Storage is refused in a sandboxed frame: the system's theme holds.
  }
  addEventListener(
    "error",
    function (event) {
      var target = event.target;
      if (!target || target.tagName !== "SCRIPT" || root.dataset.boot) return;
      var status = document.getElementById("boot-status");
      if (!status) return;
      status.className = "boot-error";
      status.textContent = "A part of the page could not be loaded (" + target.src.split("?")[0] + "). Check your connection and reload.";
    },
    true,
  );
})();
