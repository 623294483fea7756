export type RequirementStatus = "verified" | "decided" | "pending";

/**
 * One sentence, table row, field, value, error or limit of the specification, in our own words.
 *
 * The status stands in the row, so that a test that loses its citation changes nothing silently: `coverage.test.ts`
 * compares the rows with the tests, both ways, and `npm run requirements -- --update` writes what it finds.
 */
export interface Requirement {
  /** `<section>:<what>`; tests cite it, so it never changes. */
  readonly id: string;
  /** Line of the specification. */
  readonly line: number;
  /** `verified`: a test that is not skipped cites the row. `decided`: only our decision stands. `pending`: neither. */
  readonly status: RequirementStatus;
  readonly text: string;
  /** What we do where the specification leaves a choice, or where TypeScript does otherwise. */
  readonly decided?: string;
}
