import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT, readSourceFiles } from "#test/helpers/source-files.ts";
import { type CitationScan, scanCitations } from "./citations.ts";
import { type CitedIds, citedIds, expectedStatus, findFaults, type Sections } from "./coverage.ts";
import type { Requirement } from "./requirement.ts";
import { SECTIONS } from "./sections.ts";

/**
 * Prints how many rows of each section stand on a test that always runs, on tests that need something optional, or on
 * nothing yet, and names those of the second kind. `--update` rewrites the rows.
 */
function main(args: readonly string[]): void {
  const scan = scanCitations(readSourceFiles());
  const update = args.includes("--update");
  if (update) updateRows(SECTIONS, scan);
  process.stdout.write(formatReport(SECTIONS, scan));
  const faults = findFaults(update ? withStatuses(SECTIONS, scan) : SECTIONS, scan);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function formatReport(sections: Sections, scan: CitationScan): string {
  const cited = citedIds(scan);
  const lines = Object.entries(sections).map(([section, rows]) => `${section.padEnd(22)} ${counts(rows, cited)}`);
  const rows = Object.values(sections).flat();
  return `${lines.join("\n")}\n\n${gatedRows(rows, scan)}${counts(rows, cited)}\n`;
}

/** Rows that stand on gated tests alone, each with the places of these tests. */
function gatedRows(rows: readonly Requirement[], scan: CitationScan): string {
  const cited = citedIds(scan);
  const gated = rows.filter((row) => expectedStatus(row, cited) === "gated");
  const lines = gated.map(
    ({ id }) =>
      `  ${id}: ${scan.citations
        .filter((citation) => citation.id === id)
        .map(({ at }) => at)
        .join(", ")}\n`,
  );
  return lines.length === 0 ? "" : `Only tests that need something optional prove:\n${lines.join("")}\n`;
}

function counts(rows: readonly Requirement[], cited: CitedIds): string {
  const count = { verified: 0, decisions: 0, gated: 0, pending: 0 };
  for (const row of rows) {
    const status = expectedStatus(row, cited);
    if (status === "verified" && row.decided !== undefined) count.decisions += 1;
    else count[status] += 1;
  }
  const { verified, decisions, gated, pending } = count;
  return `${verified} verified, ${decisions} of our own decisions verified, ${gated} gated, ${pending} pending`;
}

function withStatuses(sections: Sections, scan: CitationScan): Sections {
  const cited = citedIds(scan);
  const update = (row: Requirement): Requirement => ({ ...row, status: expectedStatus(row, cited) });
  return Object.fromEntries(Object.entries(sections).map(([section, rows]) => [section, rows.map(update)]));
}

function updateRows(sections: Sections, scan: CitationScan): void {
  const cited = citedIds(scan);
  for (const [section, rows] of Object.entries(sections)) {
    const path = fileOf(section);
    const before = readFileSync(path, "utf8");
    let text = before;
    for (const row of rows) {
      const pattern = new RegExp(`(id: "${row.id}",\\s+(?:line: \\d+,\\s+)?status: )"[a-z]+"`);
      text = text.replace(pattern, `$1"${expectedStatus(row, cited)}"`);
    }
    if (text !== before) writeFileSync(path, text);
  }
}

/** A section's rows are in the file of its name, in one of the folders beside this one. */
function fileOf(section: string): string {
  const folder = join(REPOSITORY_ROOT, "test/requirements");
  const paths = ["agents", "server"].map((part) => join(folder, part, `${section}.ts`));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined) throw new Error(`No file of test/requirements has the rows of "${section}".`);
  return path;
}

main(process.argv.slice(2));
