// Removes files from node_modules that no program reads at run time: types, source maps, TypeScript sources, tests,
// manuals, and parts for browsers. Runs while an image is built, with nothing but Node.
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = "node_modules";
const SPARE_FILES =
  /\.(?:[cm]?ts|[cm]?ts\.map|[cm]?js\.map|map|flow|tsbuildinfo|md|markdown|scss|yml|html|zip)$|^(?:\.(?:npmignore|editorconfig|gitattributes|taprc|prettierrc|prettierignore|eslintrc.*|eslintignore|travis\.yml)|(?:tsconfig|jest|karma|gulpfile|Gruntfile|Makefile).*)$/i;
const SPARE_FOLDERS = new Set([
  "test",
  "tests",
  "__tests__",
  "benchmark",
  "benchmarks",
  "example",
  "examples",
  ".github",
  // Modules for bundlers, beside those that Node loads.
  "dist-es",
]);
const LEGAL = /^(?:licen[cs]e|notice|copying|copyright|patents|authors)/i;
/** Parts of packages that no service reads: for browsers, for old versions of Node, and pages for people. */
const SPARE_PARTS = [
  "@google/genai/dist/index.cjs",
  "@google/genai/dist/index.mjs",
  "@google/genai/dist/web",
  "playwright-core/lib/vite",
  "web-streams-polyfill/dist",
];
/** Folders whose modules are there as `.js` too, for programs that use `require`. No service does. */
const MODULES_TWICE = ["@anthropic-ai/sdk", "openai"].flatMap((name) =>
  ["helpers", "lib", "resources"].map((folder) => join(name, folder)),
);

let files = 0;
let bytes = 0;
prune(ROOT, false);
for (const part of SPARE_PARTS) if (existsSync(join(ROOT, part))) remove(join(ROOT, part));
for (const name of MODULES_TWICE) pruneTwins(join(ROOT, name));
process.stdout.write(`node_modules: ${files} files of ${(bytes / 1e6).toFixed(1)} MB removed\n`);

/** `isInPackage` is false for folders of package names, because a package may be called "test". */
function prune(folder, isInPackage) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (isInPackage && SPARE_FOLDERS.has(entry.name)) remove(path);
      else prune(path, entry.name !== "node_modules" && (isInPackage || !entry.name.startsWith("@")));
    } else if (isInPackage && entry.isFile() && SPARE_FILES.test(entry.name) && !LEGAL.test(entry.name)) remove(path);
  }
}

function pruneTwins(folder) {
  for (const path of filesOf(folder)) {
    const twin = path.replace(/\.mjs$/, ".js");
    if (twin !== path && existsSync(twin)) remove(twin);
  }
}

function remove(path) {
  for (const file of filesOf(path)) {
    files += 1;
    bytes += statSync(file).size;
  }
  rmSync(path, { recursive: true });
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
