import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { readRecord } from "#ports/audit/audit-chain.ts";
import type { AuditLine } from "#ports/audit/verify-chain.ts";
import { UsageError } from "../parse-arguments.ts";

type Test = (event: JsonObject) => boolean;

/** The lines that are records of events with all that the flags ask for, as they are in the log. */
export async function* matchingLines(
  lines: AsyncIterable<AuditLine>,
  flags: ReadonlyMap<string, string>,
): AsyncIterable<string> {
  const tests = [...flags].flatMap(([flag, value]) => TESTS[flag]?.(value) ?? []);
  for await (const { text } of lines) {
    const record = readRecord(text);
    if (record !== undefined && tests.every((test) => test(record.event))) yield text;
  }
}

const TESTS: Readonly<Record<string, (value: string) => Test>> = {
  "--tenant":
    (wanted) =>
    ({ kind, tenantId = DEFAULT_TENANT }) =>
      kind === "decision" && tenantId === wanted,
  "--subject": (subject) => (event) => event["subject"] === subject,
  "--action": (action) => (event) => event["action"] === action,
  "--app": (appName) => (event) => resourceOf(event)["appName"] === appName,
  "--user": (userId) => (event) => resourceOf(event)["userId"] === userId,
  "--decision": (decision) => {
    if (decision !== "allowed" && decision !== "refused") throw new UsageError("--decision needs allowed or refused.");
    return (event) => event["decision"] === decision;
  },
  "--since": (text) => {
    const sinceMs = fromIsoTime(text);
    if (sinceMs === undefined) throw new UsageError("--since needs a time such as 2026-01-31T12:00:00Z.");
    return ({ timeMs }) => typeof timeMs === "number" && timeMs >= sinceMs;
  },
};

function resourceOf({ resource }: JsonObject): JsonObject {
  return isJsonObject(resource) ? resource : {};
}
