// Builds the page that the Python package ships: one file, with the script, the style and the layout engine in it.
// The digest of the sources is recorded in it, so that a test can tell whether it is up to date.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const destination = join(here, "..", "src", "cutaway", "report", "page.html");

function sources() {
  const own = ["build.mjs", "package.json", "package-lock.json", "page.html", "tsconfig.json"];
  return [...own, ...readdirSync(join(here, "src")).sort().map((name) => `src/${name}`)];
}

function digest() {
  const hash = createHash("sha256");
  for (const name of sources()) {
    hash.update(name + "\0");
    hash.update(readFileSync(join(here, name)));
    hash.update("\0");
  }
  return hash.digest("hex");
}

function allowed(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const result = await build({
  root: here,
  configFile: false,
  logLevel: "warn",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    write: false,
    minify: true,
    target: "es2022",
    cssCodeSplit: false,
    lib: { entry: join(here, "src", "main.tsx"), formats: ["iife"], name: "cutaway" },
  },
});
const outputs = (Array.isArray(result) ? result : [result]).flatMap((each) => each.output);
// In a script element, `</` would end it, and `<!--` would change how it is read.
const script = outputs.find((each) => each.type === "chunk").code.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--").trim();
const style = String(outputs.find((each) => each.fileName?.endsWith(".css")).source).trim();
const engine = gzipSync(readFileSync(join(here, "node_modules", "elkjs", "lib", "elk-worker.min.js")), { level: 9 });

const policy = [
  "default-src 'none'",
  `script-src ${allowed(script)}`,
  `style-src ${allowed(style)}`,
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const parts = {
  policy,
  digest: digest(),
  style,
  engine: engine.toString("base64"),
  script,
};
const page = readFileSync(join(here, "page.html"), "utf8").replace(/@@(\w+)@@/g, (whole, name) => parts[name] ?? whole);
writeFileSync(destination, page);
console.log(`${destination}: ${Math.round(page.length / 1024)} KiB`);
