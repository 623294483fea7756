import { SECTIONS } from "#test/requirements/sections.ts";

const KNOWN: ReadonlySet<string> = new Set(Object.values(SECTIONS).flatMap((rows) => rows.map((row) => row.id)));

/**
 * Declares in a test's body the rows of the specification that the test proves. The ids must be string literals: the
 * requirements report finds them by reading the sources. A skipped, todo or expected-to-fail test proves nothing.
 */
export function verifies(...ids: readonly [string, ...string[]]): void {
  for (const id of ids) {
    if (!KNOWN.has(id))
      throw new Error(`No row "${id}" in test/requirements. Cite one that exists, or correct the id.`);
  }
}
