import type { FastifyRequest } from "fastify";
import type { AuditResource } from "#ports/audit/audit-event.ts";

type Names = Readonly<Record<string, unknown>>;

/** Clients choose ids, and paths are recorded before they are checked. */
const MAX_LENGTH = 256;

/** The ids that a request names in its path, query and body. Nothing else of them is read. */
export function resourceOf({ params, query, body }: Pick<FastifyRequest, "params" | "query" | "body">): AuditResource {
  const sources = [params, query, body].filter(isObject);
  const find = (...names: readonly string[]): string | undefined => {
    for (const source of sources)
      for (const name of names) if (isId(source[name])) return source[name].slice(0, MAX_LENGTH);
    return undefined;
  };
  const found = {
    appName: find("appName", "app_name"),
    userId: find("userId", "user_id"),
    sessionId: find("sessionId", "session_id"),
    runId: find("runId"),
    jobId: find("jobId"),
    artifactName: find("*", "filename"),
    id: find(
      "tenantId",
      "evalSetId",
      "evalResultId",
      "testName",
      "eventId",
      "keyId",
      "credentialKey",
      "scheduleId",
      "webhookId",
      "id",
    ),
  };
  // Records have no members without a value.
  return Object.fromEntries(Object.entries(found).filter(([, id]) => id !== undefined));
}

function isObject(value: unknown): value is Names {
  return typeof value === "object" && value !== null;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
