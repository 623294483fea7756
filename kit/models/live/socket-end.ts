import { mapModelError, type ProviderNames } from "#kit/models/error-mapper.ts";

/** How a provider's socket ended. */
export interface SocketEnd {
  /** The close code; 1006 if the socket broke. */
  readonly code: number;
  readonly reason: string;
  /** The error of the socket before it was closed, such as a refused upgrade. */
  readonly error?: unknown;
}

/** Texts in the reason of a close, and the HTTP status that the provider answers requests with in that case. */
const STATUS_OF_REASON: readonly (readonly [RegExp, number])[] = [
  [/api.?key|credential|unauthenticated|unauthorized|auth token/i, 401],
  [/permission|forbidden|access/i, 403],
  [/quota|rate.?limit|resource.?(has been )?exhausted|too many/i, 429],
  [/not found|not supported for bidi/i, 404],
];

/** Another session may work after these codes: the server's faults, its restarts, and ends without a reason. */
const RETRYABLE: ReadonlySet<number> = new Set([1000, 1001, 1005, 1011, 1012, 1013, 1014]);

/** The end as an error of the kit: with a retryable one, another session may work. */
export function errorOfEnd(end: SocketEnd, names: ProviderNames): Error {
  return mapModelError(describe(end), names);
}

function describe({ code, reason, error }: SocketEnd): Error {
  const refused = /unexpected server response: (\d{3})/i.exec(error instanceof Error ? error.message : "")?.[1];
  if (refused !== undefined) return withMembers(reason, { status: Number(refused), cause: error });
  if (code === 1006) return error instanceof Error ? withSocketCode(error) : withMembers("", { code: "ECONNRESET" });
  const named = STATUS_OF_REASON.find(([pattern]) => pattern.test(reason))?.[1];
  if (!RETRYABLE.has(code)) return withMembers(reason, { status: named ?? 400 });
  if (named === 429) return withMembers(reason, { status: named });
  return withMembers(reason, { status: /deadline|timeout/i.test(reason) ? 504 : 503 });
}

/** The SDKs wrap the socket's errors, and some have no code. */
function withSocketCode(error: Error): Error {
  return "code" in error ? error : withMembers(error.message, { code: "ECONNRESET", cause: error });
}

function withMembers(message: string, members: object): Error {
  return Object.assign(new Error(message), members);
}
