import { expectedStatus } from "#test/helpers/openapi-examples.ts";
import { type ApiOperation, listIn, objectIn, parametersOf } from "#test/helpers/openapi-operations.ts";
import { type CallerName, isNamed, RIGHTS } from "./matrix-callers.ts";

/** What the example of an operation names, as its path and body show, whatever the route declares. */
type Named = "user" | "run" | "schedule" | "webhook" | "evaluation" | "event" | "session" | "app" | "nothing";

export function namedBy(operation: ApiOperation): Named {
  const { path, object } = operation;
  // Only operators have answers, of whatever users.
  if (path.startsWith("/v1/tenants/")) return "nothing";
  if (path.includes("/debug/trace/")) return path.includes("/session/") ? "session" : "event";
  const example = objectIn(object, "requestBody", "content", "application/json", "example");
  const isInQuery = parametersOf(operation).some(
    ({ name, example: given }) => (name === "userId" || name === "user_id") && given !== undefined,
  );
  if (path.includes("{userId}") || "userId" in example || isInQuery) return "user";
  if (path.includes("{runId}")) return "run";
  if (path.includes("{scheduleId}")) return "schedule";
  if (path.includes("{webhookId}")) return "webhook";
  if (path.includes("{jobId}")) return "evaluation";
  return path.includes("{appName}") || isOfDefaultApp(path) ? "app" : "nothing";
}

/** A server with a default app also serves these paths of it. */
function isOfDefaultApp(path: string): boolean {
  return /^\/(users\/|trigger\/|app-info$)/.test(path);
}

export function namesApp(operation: ApiOperation): boolean {
  const { path, object } = operation;
  const example = objectIn(object, "requestBody", "content", "application/json", "example");
  const isInQuery = parametersOf(operation).some(
    ({ name, example: given }) => name === "app_name" && given !== undefined,
  );
  return path.includes("{appName}") || "appName" in example || isInQuery || isOfDefaultApp(path);
}

/** The status and the reason of the answer to the operation's example, which names the owner's data. */
export function expectedAnswer(operation: ApiOperation, caller: CallerName): readonly [string, string?] {
  const { object } = operation;
  const success = [expectedStatus(operation)] as const;
  if (listIn(object, "security").length === 0) return success;
  if (!isNamed(caller)) return ["401", "UNAUTHENTICATED"];
  const scope = object["x-scope"];
  const { scopes } = RIGHTS[caller];
  if (typeof scope === "string" && ![...scopes].map(String).includes(scope)) return ["403", "SCOPE_MISSING"];
  if (caller === "outsider" && namesApp(operation)) return ["404", "APP_NOT_FOUND"];
  switch (caller === "eve" || caller === "outsider" ? namedBy(operation) : "nothing") {
    case "user":
      // The outsider is the owner's user, and sees what belongs to its own app.
      return caller === "eve" ? ["403", "USER_NOT_ALLOWED"] : success;
    case "run":
      return ["404", "RUN_NOT_FOUND"];
    case "schedule":
      return ["404", "SCHEDULE_NOT_FOUND"];
    case "webhook":
      return ["404", "WEBHOOK_NOT_FOUND"];
    case "evaluation":
      return ["404", "EVAL_JOB_NOT_FOUND"];
    case "event":
      return ["404", "TRACE_NOT_FOUND"];
    default:
      return success;
  }
}
