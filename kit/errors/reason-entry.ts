import type { ErrorCode } from "./codes.ts";

/** What an error of a reason is. */
export interface ReasonEntry {
  readonly code: ErrorCode;
  /** The HTTP status if it differs from the code's. */
  readonly http?: number;
  /** The meaning and what to do, for the reference page that is generated from this table. */
  readonly meaning: string;
}
