// Prints the licences of all packages below node_modules, as Markdown. Runs while an image is built, before texts are
// pruned.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const packages = packagesBelow("node_modules");
packages.sort((a, b) => (a.name < b.name ? -1 : 1));
const dev = existsSync(".dev-ui/.installed.json")
  ? JSON.parse(readFileSync(".dev-ui/.installed.json", "utf8"))
  : undefined;

const lines = [
  "# Licences of what this image holds besides Fairlead",
  "",
  `Node ${process.versions.node} (MIT, with the licences of its parts in its LICENSE), the packages of the base image (see there), and:`,
  "",
  "| package | version | licence |",
  "| --- | --- | --- |",
  ...packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`),
];
if (dev !== undefined) {
  lines.push(
    "",
    "## The developer UI",
    "",
    `\`.dev-ui\` is the built web UI of ${dev.package} (Apache-2.0), unchanged. Its bundle holds packages of others, and its publisher gives`,
    "no list of them or of their licences: that part of this list is missing.",
  );
}
const unknown = packages.filter(({ licence }) => licence === "unknown").map(({ name }) => name);
if (unknown.length > 0) process.stderr.write(`No licence is named by: ${unknown.join(", ")}\n`);
process.stdout.write(`${lines.join("\n")}\n`);

function packagesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap(({ name }) => (name.startsWith("@") ? packagesBelow(join(folder, name)) : packageAt(join(folder, name))));
}

function packageAt(folder) {
  const nested = packagesBelow(join(folder, "node_modules"));
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) return nested;
  const { name, version, license, licenses } = JSON.parse(readFileSync(manifest, "utf8"));
  return [{ name, version, licence: licenceOf(license ?? licenses) }, ...nested];
}

/** A name, or the forms of old manifests: `{type}` and a list of them. */
function licenceOf(field) {
  if (field === undefined) return "unknown";
  if (Array.isArray(field)) return field.map(licenceOf).join(" OR ");
  return typeof field === "string" ? field : field.type;
}
