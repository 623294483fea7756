import { join } from "node:path";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

/** A sample app that the rules close to all callers of the matrix, and a name of the same length that no app has. */
export const CLOSED_APP = "service_desk";
export const ABSENT_APP = "servicedesks";

/** The setting that names a file with the rules. */
export function rulesFile(): { readonly APP_RULES_FILE: string } {
  const rules = JSON.stringify({ apps: { [CLOSED_APP]: { users: ["treasurer"] } } });
  return { APP_RULES_FILE: join(agentsFolder({ "rules.yaml": rules }).path, "rules.yaml") };
}
