import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Version } from "#kit/version.ts";
import { devUiFolder, isBeingInstalled, markInstallation } from "./dev-ui-folder.ts";

const NAME = `dev-ui-${Version.FAIRLEAD_VERSION}`;

it("is the clone's own folder, or one in the user's caches for the package", () => {
  expect(devUiFolder(false, "/caches")).toEqual({
    path: join(import.meta.dirname, "../../../.dev-ui/"),
    installCommand: "npm run ui:install",
  });
  expect(devUiFolder(true, "/caches")).toEqual({
    path: join("/caches/fairlead", NAME),
    installCommand: "npx fairlead ui install",
  });
  expect(devUiFolder(true, "").path).toBe(join(homedir(), ".cache/fairlead", NAME));
});

it("marks an installation until it ends, and ignores the mark of one that was killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-ui-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "caches/ui");
  const states = () => [isBeingInstalled(path, 1_000_000), isBeingInstalled(`${path}/`, 1_299_999)];
  expect(states()).toEqual([false, false]);
  const end = markInstallation(path);
  utimesSync(`${path}.installing`, 1000, 1000);
  expect(states()).toEqual([true, true]);
  expect(isBeingInstalled(path, 1_300_000)).toBe(false);
  end();
  expect(states()).toEqual([false, false]);
});
