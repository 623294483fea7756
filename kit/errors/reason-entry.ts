import type { ErrorCode } from "./codes.ts";

/** The properties that all errors with one reason share. */
export interface ReasonEntry {
  readonly code: ErrorCode;
  /** The HTTP status if it differs from the code's. */
  readonly http?: number;
  /** The meaning and what to do, for the reference page that is generated from this table. */
  readonly meaning: string;
}
