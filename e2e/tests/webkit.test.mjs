// The main path in WebKit, if its driver is installed.
import { test } from "node:test";
import { mainPath } from "../main_path.mjs";
import { WebKit, webkit } from "../webkit.mjs";

const path = mainPath("webkit", webkit() ? false : "there is no WebKit here", () => WebKit.launch());
test("a file is opened, drawn, listed and shared", path.options, path.file);
test("the element shows data of its host", path.options, path.element);
