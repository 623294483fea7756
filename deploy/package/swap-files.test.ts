import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isSwapped, restoreFiles, swapFiles } from "./swap-files.ts";

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "fairlead-swap-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "docs"));
  writeFileSync(join(root, "package.json"), "clone");
  writeFileSync(join(root, "docs/page.md"), "clone's page");
  return root;
}

it("puts the published files in place, and the clone's back", () => {
  const root = folder();
  const read = () => [
    ...["package.json", "docs/page.md"].map((path) => readFileSync(join(root, path), "utf8")),
    isSwapped(root),
  ];
  swapFiles(
    root,
    new Map([
      ["package.json", "published"],
      ["docs/page.md", "published page"],
    ]),
  );
  expect(read()).toEqual(["published", "published page", true]);
  restoreFiles(root);
  expect(read()).toEqual(["clone", "clone's page", false]);
  restoreFiles(root);
  expect(read()).toEqual(["clone", "clone's page", false]);
});

it("touches nothing if a file is missing", () => {
  const root = folder();
  const texts = new Map([
    ["package.json", "published"],
    ["docs/none.md", "published page"],
  ]);
  expect(() => swapFiles(root, texts)).toThrow("none.md");
  expect([readFileSync(join(root, "package.json"), "utf8"), existsSync(join(root, ".pack"))]).toEqual(["clone", false]);
});
