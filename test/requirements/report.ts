import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT, readSourceFiles } from "#test/helpers/source-files.ts";
import { type CitationScan, scanCitations } from "./citations.ts";
import { citedIds, expectedStatus, findFaults, type Sections } from "./coverage.ts";
import type { Requirement } from "./requirement.ts";
import { SECTIONS } from "./sections.ts";

/** Prints how many rows of each section stand on a test, on a decision only, or on nothing yet. `--update` rewrites the rows. */
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
  const lines = Object.entries(sections).map(([section, rows]) => `${section.padEnd(24)} ${counts(rows, cited)}`);
  return `${lines.join("\n")}\n${counts(Object.values(sections).flat(), cited)}\n`;
}

function counts(rows: readonly Requirement[], cited: ReadonlySet<string>): string {
  const count = { verified: 0, decided: 0, pending: 0 };
  for (const row of rows) count[expectedStatus(row, cited)] += 1;
  return `${count.verified} verified, ${count.decided} decided, ${count.pending} pending`;
}

function withStatuses(sections: Sections, scan: CitationScan): Sections {
  const cited = citedIds(scan);
  const update = (row: Requirement): Requirement => ({ ...row, status: expectedStatus(row, cited) });
  return Object.fromEntries(Object.entries(sections).map(([section, rows]) => [section, rows.map(update)]));
}

function updateRows(sections: Sections, scan: CitationScan): void {
  const cited = citedIds(scan);
  for (const [section, rows] of Object.entries(sections)) {
    const path = join(REPOSITORY_ROOT, "test/requirements", `${section}.ts`);
    const before = readFileSync(path, "utf8");
    let text = before;
    for (const row of rows) {
      const pattern = new RegExp(`(id: "${row.id}",\\s+line: \\d+,\\s+status: )"[a-z]+"`);
      text = text.replace(pattern, `$1"${expectedStatus(row, cited)}"`);
    }
    if (text !== before) writeFileSync(path, text);
  }
}

main(process.argv.slice(2));
