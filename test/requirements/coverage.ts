import type { Citation, CitationScan } from "./citations.ts";
import type { Requirement, RequirementStatus } from "./requirement.ts";

export type Sections = Readonly<Record<string, readonly Requirement[]>>;

/** What is wrong between rows and tests, one sentence each; empty when they agree. */
export function findFaults(sections: Sections, scan: CitationScan): readonly string[] {
  return [...rowFaults(sections), ...scan.problems, ...unknownIds(sections, scan.citations), ...statusFaults(sections, scan)];
}

/** The status that each row should have. */
export function expectedStatus(row: Requirement, cited: ReadonlySet<string>): RequirementStatus {
  if (cited.has(row.id)) return "verified";
  return row.decided === undefined ? "pending" : "decided";
}

export function citedIds(scan: CitationScan): ReadonlySet<string> {
  return new Set(scan.citations.map((citation) => citation.id));
}

function rowFaults(sections: Sections): readonly string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [section, rows] of Object.entries(sections)) {
    for (const { id, line, text } of rows) {
      if (seen.has(id)) faults.push(`Two rows have the id "${id}".`);
      seen.add(id);
      if (!/^[a-z0-9-]+(:[a-z0-9-]+)+$/.test(id)) faults.push(`"${id}" is not words in kebab-case joined by colons.`);
      if (!id.startsWith(`${section}:`)) faults.push(`"${id}" stands in section "${section}".`);
      if (text === "" || !Number.isInteger(line) || line < 1) faults.push(`"${id}" needs a text and a line.`);
    }
  }
  return faults;
}

function unknownIds(sections: Sections, citations: readonly Citation[]): readonly string[] {
  const known = new Set(Object.values(sections).flatMap((rows) => rows.map((row) => row.id)));
  return citations.filter(({ id }) => !known.has(id)).map(({ id, at }) => `${at} cites "${id}", which is no row.`);
}

function statusFaults(sections: Sections, scan: CitationScan): readonly string[] {
  const cited = citedIds(scan);
  const faults: string[] = [];
  for (const row of Object.values(sections).flat()) {
    const expected = expectedStatus(row, cited);
    if (row.status === expected) continue;
    faults.push(row.status === "verified" ? `"${row.id}" claims to be verified, but no test that runs cites it. Restore the citation, or: npm run requirements -- --update` : `"${row.id}" says ${row.status}, but should say ${expected}. Correct it with: npm run requirements -- --update`);
  }
  return faults;
}
