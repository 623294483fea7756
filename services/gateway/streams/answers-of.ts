import type { FastifyRequest } from "fastify";
import { tenantKey } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import { namesIn, USER_NAMES } from "../access/request-names.ts";
import type { RouteDeps } from "../deps.ts";
import { callingSubject } from "../identity/calling-subject.ts";

/** What answers need that are created while they are written. */
export type AnswerDeps = Pick<RouteDeps, "config" | "logger" | "answers"> & {
  readonly artifactService: Pick<RouteDeps["artifactService"], "readArtifact">;
};

/**
 * The account of the request's user: the caller, or where nobody is authenticated the user that the request names.
 */
export function answersOf({ answers }: Pick<AnswerDeps, "answers">, request: FastifyRequest): AnswerReader {
  const { tenantId, keyId = "", userId = keyId === "" ? namedUser(request) : "" } = callingSubject(request);
  // Identifiers have no control characters, so that no two callers share a name.
  return answers.reader(tenantKey(`${keyId}\n${userId}`, tenantId));
}

/** The account of a user whose run is read for no answer of its own, until the signal. */
export function answersOfUser(
  { answers }: Pick<AnswerDeps, "answers">,
  { tenantId, userId }: Pick<SessionKey, "tenantId" | "userId">,
  signal: AbortSignal,
): AnswerReader {
  const reader = answers.reader(tenantKey(`\n${userId}`, tenantId));
  reader.begin(signal);
  return reader;
}

function namedUser({ params, body, query }: FastifyRequest): string {
  for (const source of [params, body, query]) {
    const [name] = namesIn(source, USER_NAMES);
    if (name !== undefined) return name;
  }
  return "";
}
