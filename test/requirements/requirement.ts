/**
 * - `verified`: a test that always runs cites the row.
 * - `gated`: only tests cite it that run where something optional is there, such as an emulator or a cluster.
 * - `pending`: no test that runs cites it.
 */
export type RequirementStatus = "verified" | "gated" | "pending";

/**
 * One sentence, table row, field, value, error or limit of the specification, in our own words, or one promise of the
 * platform itself.
 *
 * The status stands in the row, so that a test that loses its citation changes nothing silently: `coverage.test.ts`
 * compares the rows with the tests, both ways, and `npm run requirements -- --update` writes what it finds.
 */
export interface Requirement {
  /** `<section>:<what>`; tests cite it, so it never changes. */
  readonly id: string;
  /** Line of the specification; absent for promises of the platform itself, which the specification does not make. */
  readonly line?: number;
  readonly status: RequirementStatus;
  readonly text: string;
  /**
   * Names that the specification gives on this line, spelled as there. Those of a row that is not pending must stand in
   * production code as an identifier, a member or a string (`names.test.ts`).
   */
  readonly names?: readonly string[];
  /** Names of the specification that TypeScript code spells differently, by that name; `decided` gives the reason. */
  readonly spelled?: Readonly<Record<string, string>>;
  /** What we do where the specification leaves a choice, or where TypeScript does otherwise. A test proves it. */
  readonly decided?: string;
  /** The decision is about something that does not exist yet: the row is pending. */
  readonly unbuilt?: true;
}
