import { PlatformError } from "#kit/errors/platform-error.ts";

/** What a `GoalOrientedPlanner` does when agents have ended without writing their output key. */
export type ReplanPolicy =
  /** The turn ends with an error message that names these agents and keys. */
  | { readonly kind: "FailStop" }
  /** The rest of the plan runs as it is. */
  | { readonly kind: "Ignore" }
  /**
   * The rest of the plan is computed again from the current state. After `maxAttempts` times in a row, from 1, the turn
   * ends as with FailStop.
   */
  | { readonly kind: "Replan"; readonly maxAttempts: number };

/** `true` is FailStop, `false` and undefined are Ignore. Throws `INVALID_FIELD` for a policy that is none of the three. */
export function toReplanPolicy(given: ReplanPolicy | boolean | undefined): ReplanPolicy {
  if (given === undefined || typeof given === "boolean") return { kind: given === true ? "FailStop" : "Ignore" };
  const { kind, maxAttempts } = membersOf(given);
  if (kind === "FailStop" || kind === "Ignore") return { kind };
  if (kind !== "Replan")
    throw invalid("replanPolicy", 'must be true, false, or one of the kinds "FailStop", "Ignore" and "Replan"');
  if (typeof maxAttempts !== "number" || !Number.isSafeInteger(maxAttempts) || maxAttempts < 1)
    throw invalid("replanPolicy.maxAttempts", "must be an integer of at least 1");
  return { kind, maxAttempts };
}

/** Plain JavaScript can pass anything. */
function membersOf(given: unknown): { readonly kind?: unknown; readonly maxAttempts?: unknown } {
  return typeof given === "object" && given !== null ? given : {};
}

function invalid(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `new GoalOrientedPlanner: ${field} ${problem}.`, { details: { field } });
}
