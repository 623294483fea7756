import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Scope } from "../identity/scopes.ts";

/** Throws `SCOPE_MISSING`: an evaluation needs the scope of runs beside that of its route. */
export function assertMayStartRuns(scopes: ReadonlySet<Scope>): void {
  const scope = "runs:write";
  if (scopes.has(scope)) return;
  throw new PlatformError("SCOPE_MISSING", `The caller lacks the scope ${scope}: an evaluation starts runs.`, {
    details: { scope },
  });
}
