import { REDACTED, redactText } from "#kit/errors/redact.ts";
import type { LogFields } from "#kit/platform/logger.ts";

/** Names of fields whose values never reach a log, at any depth, compared without case, `_` and `-`. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "password",
  "passwd",
  "passphrase",
  "secret",
  "clientsecret",
  "token",
  "accesstoken",
  "refreshtoken",
  "idtoken",
  "apikey",
  "xapikey",
  "xgoogapikey",
  "privatekey",
  "secretaccesskey",
  "credentials",
]);

/** Log fields are flat; deeper values are not ours. */
const MAX_DEPTH = 6;
const MAX_CAUSES = 5;

/**
 * The fields of a log line without credentials: by the names of fields, and by the shape of texts. Errors become plain
 * objects.
 */
export function redactFields(fields: LogFields): LogFields {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) clean[name] = redactField(name, value, 0);
  // A thrown value need not be an error.
  if (Object.hasOwn(fields, "error") && typeof fields["error"] !== "object")
    clean["error"] = describeError(fields["error"]);
  return clean;
}

function redactField(name: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null) return value;
  return SECRET_FIELDS.has(name.toLowerCase().replaceAll(/[_-]/g, "")) ? REDACTED : redactValue(value, depth);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (depth >= MAX_DEPTH) return "[nested too deep]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  if (value instanceof URL) return redactText(value.href);
  if (value instanceof Map) return redactValue(Object.fromEntries(value), depth);
  if (value instanceof Set) return redactValue([...value], depth);
  // Other objects, such as dates, become their JSON.
  if ("toJSON" in value && typeof value.toJSON === "function") return redactValue(value.toJSON(), depth + 1);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactField(name, member, depth + 1)]),
  );
}

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

/** The known properties of an error and its causes. Others are left out, as SDKs attach whole requests. */
export function describeError(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: redactText(textOf(error)) };
  const { cause } = error;
  return {
    type: redactText(error.name),
    message: redactText(error.message),
    reason: "reason" in error && typeof error.reason === "string" ? redactText(error.reason) : undefined,
    detail: "logDetail" in error && typeof error.logDetail === "string" ? redactText(error.logDetail) : undefined,
    stack: error.stack === undefined ? undefined : redactText(error.stack),
    cause: cause !== undefined && depth < MAX_CAUSES ? describeError(cause, depth + 1) : undefined,
  };
}

/** A thrown value may be one that cannot become text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `a value of type ${typeof thrown}`;
  }
}
