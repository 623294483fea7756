import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chartValues, releaseFaults, releaseNotes } from "./release-files.ts";

/**
 * The steps of a release that need no account:
 *
 *     node deploy/release/release.ts check v0.1.0         exits with 1 and names what does not fit the tag
 *     node deploy/release/release.ts notes 0.1.0          prints the version's section of the changelog
 *     node deploy/release/release.ts chart --image=ghcr.io/acme/fairlead --digest=sha256:… --out=dist
 *                                                         packages the chart with that image, by `helm`
 */
const ROOT = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    image: { type: "string" },
    digest: { type: "string", default: "" },
    out: { type: "string", default: "." },
  },
});
const [command, version = ""] = positionals;

if (command === "check") check(version);
else if (command === "notes") process.stdout.write(releaseNotes(read("CHANGELOG.md"), version));
else if (command === "chart") packageChart();
else fail("Give one of check, notes and chart.");

function check(tag: string): void {
  const files = {
    packageJson: read("package.json"),
    chart: read("charts/fairlead/Chart.yaml"),
    changelog: read("CHANGELOG.md"),
  };
  const faults = releaseFaults(tag, files);
  if (faults.length > 0) fail(faults.join("\n"));
}

/** The chart of the repository names no registry, so the packaged one gets the image that was pushed. */
function packageChart(): void {
  const { image, digest, out } = values;
  if (image === undefined) fail("--image is missing: the repository of the image, such as ghcr.io/acme/fairlead.");
  const folder = mkdtempSync(join(tmpdir(), "fairlead-chart-"));
  try {
    const chart = join(folder, "fairlead");
    cpSync(join(ROOT, "charts/fairlead"), chart, { recursive: true });
    const file = join(chart, "values.yaml");
    writeFileSync(file, chartValues(readFileSync(file, "utf8"), { image, digest }));
    const helm = process.env["HELM"] || "helm";
    execFileSync(helm, ["package", chart, "--destination", resolve(out)], { stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
