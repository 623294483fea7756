import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { MODEL_NAMES } from "#kit/models/registry/model-names.ts";
import { verifies } from "#test/helpers/verifies.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What users read, copy or run. Tests may name other models: what a server answers, or what a rule is about. */
const PLACES = [
  "README.md",
  "docs",
  "agents",
  "cli",
  "charts",
  "deploy",
  "client",
  "kit",
  "ports",
  "services",
  "adapters",
];
/** What ADK's UI writes, whatever is available, and the list of models that end. */
const FOREIGN: readonly string[] = ["ports/editor/new-agent-model.ts", "kit/models/registry/shutdowns.json"];
const VERSIONED =
  /\b(?:gemini-\d[\d.]*-[a-z][\w.-]*|gpt-\d[\w.-]*|claude-(?:opus|sonnet|haiku)[\w.-]*|o\d-(?:mini|pro))/g;

function unknownNames(text: string): readonly string[] {
  const known = new Set<string>(Object.values(MODEL_NAMES));
  return [...text.matchAll(VERSIONED)].map(([name]) => name.replace(/[.-]+$/, "")).filter((name) => !known.has(name));
}

it("no default, sample, template, chart or document names another hosted model than those of one list", () => {
  verifies("platform:model-names");
  const files = execFileSync("git", ["ls-files", ...PLACES], { cwd: ROOT, encoding: "utf8" }).split("\n");
  const read = files.filter(
    (file) => /\.(?:ts|mjs|md|json|ya?ml|tpl)$/.test(file) && !/\.test\.ts$/.test(file) && !FOREIGN.includes(file),
  );
  expect(read.length).toBeGreaterThan(500);
  const wrong = read.flatMap((file) =>
    unknownNames(readFileSync(`${ROOT}/${file}`, "utf8")).map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

it("finds a retired name", () => {
  expect(unknownNames('model: "gemini-2.5-flash", or gpt-6-luna. claude-sonnet-4-5, o4-mini')).toEqual([
    "gemini-2.5-flash",
    "claude-sonnet-4-5",
    "o4-mini",
  ]);
});
