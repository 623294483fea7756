import type { Citation, CitationScan } from "./citations.ts";
import type { Requirement, RequirementStatus } from "./requirement.ts";

export type Sections = Readonly<Record<string, readonly Requirement[]>>;

/** What is wrong between rows and tests, one sentence each; empty when they agree. */
export function findFaults(sections: Sections, scan: CitationScan): readonly string[] {
  return [...rowFaults(sections), ...scan.problems, ...unknownIds(sections, scan.citations), ...statusFaults(sections, scan)];
}

/** How strongly the tests cite each row; a row that no test cites is absent. */
export type CitedIds = ReadonlyMap<string, "verified" | "gated">;

/** The status that each row should have. */
export function expectedStatus(row: Requirement, cited: CitedIds): RequirementStatus {
  return cited.get(row.id) ?? "pending";
}

export function citedIds(scan: CitationScan): CitedIds {
  const cited = new Map<string, "verified" | "gated">();
  for (const { id, isGated } of scan.citations) {
    if (!isGated) cited.set(id, "verified");
    else if (!cited.has(id)) cited.set(id, "gated");
  }
  return cited;
}

/** The sections of promises that the specification does not make. */
const OWN_SECTIONS: readonly string[] = ["platform", "postgres", "schedules", "webhooks", "peers", "providers"];

function rowFaults(sections: Sections): readonly string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [section, rows] of Object.entries(sections)) {
    for (const { id, line, text, names = [], spelled = {} } of rows) {
      if (seen.has(id)) faults.push(`Two rows have the id "${id}".`);
      seen.add(id);
      if (!/^[a-z0-9-]+(:[a-z0-9-]+)+$/.test(id)) faults.push(`"${id}" is not words in kebab-case joined by colons.`);
      if (!id.startsWith(`${section}:`)) faults.push(`"${id}" stands in section "${section}".`);
      if (text === "") faults.push(`"${id}" needs a text.`);
      if ((line === undefined) !== OWN_SECTIONS.includes(section)) faults.push(`"${id}" needs a line of the specification; only rows of ${OWN_SECTIONS.join(", ")} have none.`);
      for (const name of Object.keys(spelled)) {
        if (!names.includes(name)) faults.push(`"${id}" spells "${name}" differently, which is none of its names.`);
      }
    }
  }
  return faults;
}

function unknownIds(sections: Sections, citations: readonly Citation[]): readonly string[] {
  const known = new Set(Object.values(sections).flatMap((rows) => rows.map((row) => row.id)));
  return citations.filter(({ id }) => !known.has(id)).map(({ id, at }) => `${at} cites "${id}", which is not a row.`);
}

function statusFaults(sections: Sections, scan: CitationScan): readonly string[] {
  const cited = citedIds(scan);
  const faults: string[] = [];
  for (const row of Object.values(sections).flat()) {
    const expected = expectedStatus(row, cited);
    if (row.unbuilt && expected !== "pending") faults.push(`"${row.id}" is marked unbuilt, but a test cites it. Remove the mark.`);
    if (row.unbuilt && row.decided === undefined) faults.push(`"${row.id}" is marked unbuilt without a decision. Remove the mark.`);
    if (row.decided !== undefined && !row.unbuilt && expected === "pending") faults.push(`"${row.id}" is decided, but no test proves it. Cite it in one, or mark it unbuilt.`);
    if (row.status === expected) continue;
    faults.push(row.status === "verified" && expected === "pending" ? `"${row.id}" claims to be verified, but no test that runs cites it. Restore the citation, or: npm run requirements -- --update` : `"${row.id}" says ${row.status}, but should say ${expected}. Correct it with: npm run requirements -- --update`);
  }
  return faults;
}
