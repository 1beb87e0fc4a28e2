// The main path in a real Firefox, if installed.
import { test } from "node:test";
import { Firefox, firefox } from "../firefox.mjs";
import { mainPath } from "../main_path.mjs";

const path = mainPath("firefox", firefox() ? false : "there is no Firefox here", () => Firefox.launch());
test("a file is opened, drawn, listed and shared", path.options, path.file);
test("the element shows data of its host", path.options, path.element);
