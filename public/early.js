// What the start page does before the program is there. A classic script in the head, because modules wait for the
// whole document: it runs before the first paint. The one-file page holds it too.
//
// - The stored theme must not flash, and a start page that gives way to data at once must not either.
// - What is chosen, dropped or pasted is kept until the program takes it (`take`), and handed on from then on.
// - A line in the drop zone says how far the program is, and what to do where it does not arrive.
(function () {
  "use strict";
  var root = document.documentElement;
  var query = new URLSearchParams(location.search);
  // Inside another page: no start page, nothing stored, no files but those of the host.
  var embedded = query.get("embed") === "1";
  if (embedded) root.dataset.embed = "1";
  /** Files of the samples (src/samples.rs): a link that names one opens it. */
  var SAMPLES = ["mi300x-libraries.csv", "h100-llm.csv", "h100-flat-gemm.csv", "tuning-history.csv", "h100-tiles.csv"];
  var STOPPED = "The page's program stopped, most likely because the browser gave it no more memory. Reload the page to go on.";

  function stored(key, store) {
    try {
      return window[store || "localStorage"].getItem(key);
    } catch (_) {
      // Storage is refused in a sandboxed frame.
      return null;
    }
  }

  var theme = embedded ? query.get("theme") : stored("gemmscope.theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  // What shows first.

  /** Names of the files of last time, in this tab or else in any (src/app/load/kept.rs), without their folders. */
  function keptFiles() {
    var own = stored("gemmscope.open", "sessionStorage");
    var note = location.protocol === "file:" ? null : own === null ? stored("gemmscope.open") : own;
    var names = note ? note.split("\n").slice(2).filter(Boolean) : [];
    return names.map(function (name) {
      return name.split("/").pop();
    });
  }

  /** What the address or the page itself brings, in words; "" where that is nothing. */
  function brought() {
    var view = new URLSearchParams(location.hash.slice(1));
    var saved = document.getElementById("gemmscope-data");
    if (embedded || (saved && saved.textContent.trim()) || view.has("data") || view.has("src")) return "Loading…";
    var files = view.get("files");
    if (SAMPLES.indexOf(files) >= 0 || view.get("view") === "plan") return "Loading…";
    // The one-file page keeps none.
    var kept = saved ? [] : keptFiles();
    // A place alone is no link to other files. A link names the first eight.
    var place = Array.from(view.keys()).every(function (key) { return key === "v" || key === "view"; });
    if (kept.length && (place || files === kept.slice(0, 8).join("*"))) return "Reopening " + list(kept) + "…";
    if (!place) root.dataset.expects = "1";
    return "";
  }

  function list(names) {
    return names.length > 3 ? names.slice(0, 2).join(", ") + " and " + (names.length - 2) + " more" : names.join(", ");
  }

  var coming = brought();
  if (coming) root.dataset.start = "off";

  // What the user gives the page: { files }, { folder } (files of one), { entries } (of a drop with folders), { text },
  // { sample } (its id), { open } (the planner).

  var kept = [];
  var taker = null;

  function give(item) {
    if (taker) return taker(item);
    kept.push(item);
    tell();
  }

  function nameOf(item) {
    if (item.files) return item.files.map(function (file) { return file.name; });
    if (item.folder) return [item.folder[0].webkitRelativePath.split("/")[0]];
    if (item.entries) return item.entries.map(function (entry) { return entry.name; });
    if (item.text) return ["the pasted text"];
    var at = document.querySelector(item.sample ? '[data-sample="' + item.sample + '"]' : '#start [data-open="' + item.open + '"]');
    return [(at.querySelector("strong") || at).textContent];
  }

  function keptNames() {
    return kept.reduce(function (all, item) { return all.concat(nameOf(item)); }, []);
  }

  function chosen(event) {
    var input = event.target;
    if (input.type !== "file" || !input.closest("#start")) return;
    var files = Array.from(input.files);
    // The same file can be chosen again.
    input.value = "";
    if (files.length) give(input.webkitdirectory ? { folder: files } : { files: files });
  }

  function clicked(event) {
    // Beside the dialog: what is inside it is a target of its own.
    if (event.target.id === "paste") return event.target.close();
    var at = event.target.closest("#start button, #start a, #paste button");
    // With a key held a link opens elsewhere, as any link.
    if (!at || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    var data = at.dataset;
    if (at.href) event.preventDefault();
    if (data.sample) {
      give({ sample: data.sample });
    } else if (data.choose) {
      document.getElementById(data.choose).click();
    } else if (data.open === "paste") {
      document.getElementById("paste").showModal();
      document.querySelector("#paste textarea").focus();
    } else if ("formatName" in data) {
      search(at.textContent);
    } else if (data.open) {
      give({ open: data.open });
    } else if (data.paste) {
      paste(data.paste === "read");
    }
  }

  /** Searches the formats for a name. The program lists what it finds. */
  function search(name) {
    var field = document.getElementById("format-search");
    field.value = name;
    field.dispatchEvent(new Event("input"));
    field.focus();
  }

  /** Closes the dialog for text, and reads what is in it. */
  function paste(read) {
    var dialog = document.getElementById("paste");
    var area = dialog.querySelector("textarea");
    if (read && !area.value.trim()) return area.focus();
    if (read) {
      // What was pasted as it is may hold more than its text.
      give(copied && area.value === copied.plain ? copied : { text: area.value });
      area.value = "";
    }
    dialog.close();
  }

  /** What was last pasted into the dialog: its text as the field shows it, and all that it holds. */
  var copied = null;

  /**
   * The text of a copy, or its HTML where that holds a table whose cells the text loses: merged cells leave lines with
   * different numbers of tabs.
   */
  function textOf(transfer) {
    var plain = transfer.getData("text/plain").replace(/\r\n?/g, "\n");
    var html = transfer.getData("text/html");
    var tabs = plain.split("\n").filter(function (line) { return line.trim(); }).map(function (line) { return line.split("\t").length; });
    var even = tabs.length > 1 && tabs[0] > 1 && tabs.every(function (count) { return count === tabs[0]; });
    // Styles in every tag hide the table from who looks at the beginning.
    html = html.replace(/ (?:style|class|dir|data-[\w-]+)=(?:"[^"]*"|'[^']*')/gi, "");
    return { plain: plain, text: /<table[\s>]/i.test(html) && !even ? html : plain };
  }

  function pasted(event) {
    var data = event.clipboardData;
    if (!data) return;
    var field = event.target.closest && event.target.closest("input, textarea, select");
    if (field) {
      // Into the empty field: what is added to other text stays text.
      if (field.closest("#paste")) copied = field.value ? null : textOf(data);
      return;
    }
    var files = Array.from(data.files);
    var text = textOf(data);
    if (files.length) give({ files: files });
    else if (isTable(text.text)) give(text);
  }

  /** Several lines, or figures: `{"M":128,"N":256,"K":512,"time_us":3.5}`. A word copied by mistake is no paste. */
  function isTable(text) {
    return text.indexOf("\n") >= 0 || (text.match(/\d+/g) || []).length > 2;
  }

  // A drag that began on this page brings nothing.
  var own = false;

  function carries(transfer) {
    var types = transfer ? Array.from(transfer.types) : [];
    if (types.indexOf("Files") >= 0) return true;
    return !own && types.indexOf("text/plain") >= 0 && types.indexOf("text/uri-list") < 0;
  }

  function dragging(on) {
    if (on) root.dataset.dragging = "1";
    else delete root.dataset.dragging;
  }

  function dropped(event) {
    dragging(false);
    if (!carries(event.dataTransfer) || (event.target.closest && event.target.closest("textarea"))) return;
    event.preventDefault();
    var transfer = event.dataTransfer;
    // Entries can only be had while the event lasts.
    var entries = Array.from(transfer.items).map(function (item) {
      return item.kind === "file" && item.webkitGetAsEntry ? item.webkitGetAsEntry() : null;
    }).filter(Boolean);
    var files = Array.from(transfer.files);
    var text = textOf(transfer);
    if (entries.some(function (entry) { return entry.isDirectory; })) give({ entries: entries });
    else if (files.length) give({ files: files });
    else if (text.plain.trim()) give(text);
  }

  if (!embedded) {
    addEventListener("change", chosen);
    addEventListener("click", clicked);
    addEventListener("paste", pasted);
    addEventListener("dragstart", function () { own = true; });
    addEventListener("dragend", function () { own = false; });
    addEventListener("dragover", function (event) {
      if (!carries(event.dataTransfer)) return;
      event.preventDefault();
      dragging(true);
    });
    addEventListener("dragleave", function (event) {
      // Only when the pointer leaves the window there is no element that it enters.
      if (!event.relatedTarget) dragging(false);
    });
    addEventListener("drop", dropped);
  }

  // How far the program is.

  /** From 0 to 1; null before it is said. */
  var part = null;
  /** { message, button, act } once it cannot go on. */
  var failure = null;

  function make(tag, fields) {
    return Object.assign(document.createElement(tag), fields);
  }

  /** Writes the line in the drop zone. */
  function tell() {
    var place = document.getElementById("boot");
    if (!place || taker) return;
    var names = list(keptNames());
    // What nobody waits for is said only where it takes a while.
    place.classList.toggle("asked", names !== "");
    if (failure) {
      var words = failure.message + (names && failure.keeps ? " Kept until then: " + names + "." : "");
      var alert = make("p", { className: "boot-error", textContent: words });
      alert.setAttribute("role", "alert");
      var button = make("button", { type: "button", className: "button primary small", textContent: failure.button });
      button.addEventListener("click", failure.act);
      return place.replaceChildren(alert, failure.button ? button : "");
    }
    if (part === null && !names && !coming) return place.replaceChildren();
    var status = place.querySelector("[role=status]");
    if (!status) {
      status = make("p", { className: "boot-status" });
      status.setAttribute("role", "status");
      var bar = make("progress", { className: "boot-progress", max: 1, value: 0 });
      bar.setAttribute("aria-label", "Loaded so far");
      place.replaceChildren(bar, status);
    }
    place.querySelector("progress").value = part || 0;
    var line = names ? "Loading, then " + names : coming || "Loading…";
    // Said again only where it changes.
    if (status.textContent !== line) status.textContent = line;
  }

  /** Says why the page does not go on. `act` has a `button`; `keeps` where it loses nothing that is kept. */
  function fail(message, more) {
    root.dataset.boot = "failed";
    failure = Object.assign({ message: message }, more);
    if (document.getElementById("boot") && !taker) return tell();
    var place = document.querySelector("body > .boot-error") || make("p", { className: "boot-error" });
    place.setAttribute("role", "alert");
    place.textContent = message;
    if (!place.isConnected) document.body.prepend(place);
  }

  globalThis.gemmscopeEarly = {
    /** From now on the program takes what is given, and what was kept. */
    take: function (take) {
      taker = take;
      // What the address brings still comes: the program clears the line then.
      if (!coming) document.getElementById("boot").replaceChildren();
      kept.splice(0).forEach(take);
    },
    /** Names of what is kept. */
    kept: keptNames,
    /** The program is asked for, for the first time or again. */
    begin: function () {
      failure = null;
      part = part || 0;
      tell();
    },
    /** So much of it is there, from 0 to 1. */
    progress: function (fraction) {
      part = Math.min(fraction, 1);
      if (!failure) tell();
    },
    fail: fail,
  };

  document.addEventListener("readystatechange", tell);
  // What stops the program later, such as memory that the browser refuses, must not leave a page that does nothing.
  ["error", "unhandledrejection"].forEach(function (type) {
    addEventListener(type, function (event) {
      var error = event.error || event.reason;
      if (root.dataset.boot !== "started" || !(error instanceof WebAssembly.RuntimeError)) return;
      fail(STOPPED);
      // The page around this one waits for answers.
      if (embedded) parent.postMessage({ gemm: { v: 1, type: "failed", message: STOPPED } }, "*");
    });
  });
  // A script that does not arrive.
  addEventListener(
    "error",
    function (event) {
      var script = event.target;
      if (!script || script.tagName !== "SCRIPT" || root.dataset.boot === "loading" || root.dataset.boot === "started") return;
      fail("A part of the page could not be loaded (" + script.src.split("?")[0] + "). Check the connection, then try again.", {
        button: "Try again",
        keeps: true,
        act: function () {
          failure = null;
          tell();
          document.head.append(make("script", { type: "module", src: script.src + "&again" }));
        },
      });
    },
    true,
  );
})();
