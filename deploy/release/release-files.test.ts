import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chartValues, type ReleaseFiles, releaseFaults, releaseNotes } from "./release-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const FILES: ReleaseFiles = {
  packageJson: '{"version": "1.2.3"}',
  chart: 'name: fairlead\nversion: 1.2.3\nappVersion: "1.2.3"\n',
  changelog: "# Changelog\n\n## [1.2.3] - 2026-12-01\n\nFaster.\n\n## [1.2.2] - 2026-11-01\n\nFirst.\n",
};

describe("a release", () => {
  it("has one version in its tag, package, chart and changelog", () => {
    expect(releaseFaults("v1.2.3", FILES)).toEqual([]);
    expect(releaseFaults("v1.2.4", FILES)).toEqual([
      "The version of package.json is 1.2.3, and the tag is v1.2.4.",
      "The version of Chart.yaml is 1.2.3, and the tag is v1.2.4.",
      "The appVersion of Chart.yaml is 1.2.3, and the tag is v1.2.4.",
      'CHANGELOG.md has no section "## [1.2.4] - DATE".',
    ]);
    const changelog = FILES.changelog.replace("2026-12-01", "Unreleased");
    expect(releaseFaults("v1.2.3", { ...FILES, changelog })).toEqual([
      'CHANGELOG.md gives no date: "## [1.2.3] - Unreleased".',
    ]);
    expect(releaseFaults("1.2.3", FILES)).toEqual([
      '"1.2.3" is not a tag of a release: use v and a semantic version, such as v0.1.0.',
    ]);
  });

  it("fits the files of this repository but for the date, which its commit sets", () => {
    const { version } = JSON.parse(read("package.json")) as { readonly version: string };
    const files = {
      packageJson: read("package.json"),
      chart: read("charts/fairlead/Chart.yaml"),
      changelog: read("CHANGELOG.md").replace("Unreleased", "2026-12-01"),
    };
    expect(releaseFaults(`v${version}`, files)).toEqual([]);
    expect(releaseNotes(files.changelog, version)).toMatch(/^The first version:\n/);
  });

  it("has notes that end before the version before it", () => {
    expect(releaseNotes(FILES.changelog, "1.2.3")).toBe("Faster.\n");
    expect(releaseNotes(FILES.changelog, "1.2.2")).toBe("First.\n");
    expect(() => releaseNotes(FILES.changelog, "2.0.0")).toThrow('no section "## [2.0.0]"');
  });

  it("has a chart with the image of a registry, and all other values as they are", () => {
    const values = read("charts/fairlead/values.yaml");
    const digest = `sha256:${"a".repeat(64)}`;
    const packaged = chartValues(values, { image: "ghcr.io/acme/fairlead", digest });
    const before = parse(values) as { readonly image: object };
    expect(parse(packaged)).toEqual({
      ...before,
      image: { ...before.image, repository: "ghcr.io/acme/fairlead", digest },
    });
    expect(() => chartValues(values, { image: "fairlead" })).toThrow("names no registry");
    expect(() => chartValues(values, { image: "ghcr.io/a/b", digest: "latest" })).toThrow("is not a digest");
    expect(() => chartValues("image:\n", { image: "ghcr.io/a/b" })).toThrow("0 lines");
  });
});
