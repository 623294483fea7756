import { readFileSync } from "node:fs";

/** The statements that the page for operators has for the role of runners, for a role and a schema. */
export function runnerGrants(role: string, schema = "fairlead"): string {
  const page = readFileSync("docs/operate/postgres.md", "utf8");
  const [, grants] = /## A role for runners[^]*?```sql\n([^]*?)```/.exec(page) ?? [];
  if (grants === undefined) throw new Error("docs/operate/postgres.md has no statements for the role of runners.");
  const quoted = `"${schema}"`;
  return grants
    .replaceAll("agent_runner", role)
    .replaceAll("SCHEMA fairlead", `SCHEMA ${quoted}`)
    .replaceAll("fairlead.", `${quoted}.`);
}
