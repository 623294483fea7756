import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isSwapped, restoreManifest, swapManifest } from "./swap-manifest.ts";

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "fairlead-swap-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "package.json"), '{"name":"clone"}');
  return root;
}

it("puts the published package.json in place, and the clone's back", () => {
  const root = folder();
  const read = () => [JSON.parse(readFileSync(join(root, "package.json"), "utf8")), isSwapped(root)];
  swapManifest(root, { name: "published" });
  expect(read()).toEqual([{ name: "published" }, true]);
  restoreManifest(root);
  expect(read()).toEqual([{ name: "clone" }, false]);
  restoreManifest(root);
  expect(read()).toEqual([{ name: "clone" }, false]);
});
