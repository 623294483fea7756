import type { IncomingMessage } from "node:http";
import type { IdGenerator } from "#kit/platform/id-generator.ts";

// Long enough for every tracing system's ids; nothing that could break a log line or a header.
const SANE_ID = /^[\w.:+/=-]{1,128}$/;

/** The caller's `x-request-id` when it is harmless, else a new id. */
export function createRequestId(ids: IdGenerator): (request: IncomingMessage) => string {
  return ({ headers }) => {
    const given = headers["x-request-id"];
    return typeof given === "string" && SANE_ID.test(given) ? given : ids.next();
  };
}
