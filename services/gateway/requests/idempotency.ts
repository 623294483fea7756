import { hash } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { Type } from "#kit/schema/shape.ts";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";

/** The headers of a call that creates something. */
export const CreateHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "A repeat under the same key does nothing and answers what the first call did. Keys that begin with fairlead: are the server's own.",
    }),
  ),
});

/** Longer answers are not stored: a repeated call then gets the current resource. */
const MAX_ANSWER_CHARACTERS = 64 * 1024;

/** Begins the keys that the server makes: a client could otherwise use up the key of somebody else's call. */
const OWN_PREFIX = "fairlead:";

/** Throws `INVALID_IDENTIFIER`. */
export function readIdempotencyKey(headers: { readonly "idempotency-key"?: string }): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  const field = "The header Idempotency-Key";
  assertIdentifier(field, key);
  if (!key.startsWith(OWN_PREFIX)) return key;
  throw new PlatformError("INVALID_IDENTIFIER", `${field} must not begin with ${OWN_PREFIX}: choose another one.`, {
    details: { field },
  });
}

/** The key of a run that the server starts for a purpose, the same for equal values. No client can send it. */
export function ownKey(purpose: string, value: unknown): string {
  return `${OWN_PREFIX}${purpose}:${digest(value).slice(0, 48)}`;
}

export interface KeyedCall {
  readonly store: IdempotencyStore;
  /** The scope in which the key is unique: the kind of call and its owner. */
  readonly scope: readonly string[];
  readonly key: string | undefined;
  readonly body: unknown;
}

/**
 * Does the work, or returns the stored answer of the first call with the key. A failed call may be repeated. If the
 * answer was too long to be stored, or is not text, the work is called again and is informed of it.
 */
export async function answerOnce<Answer = string>(
  call: KeyedCall,
  work: (isRepeat: boolean) => Promise<Answer | string>,
): Promise<Answer | string> {
  const { store, scope, key, body } = call;
  if (key === undefined) return work(false);
  const name = digest([...scope, key]);
  const fingerprint = digest(body);
  const known = await store.claim(name, fingerprint);
  if (known !== undefined) {
    if (known.fingerprint !== fingerprint) throw keyReused();
    if (known.answer !== undefined) return known.answer;
    if (!known.isDone) throw new PlatformError("IDEMPOTENCY_KEY_IN_USE", KEY_IN_USE);
  }
  let answer: Answer | string;
  try {
    answer = await work(known !== undefined);
  } catch (error) {
    // The caller must get the failure itself; the claim expires if it cannot be removed.
    if (known === undefined) await store.release(name).catch(() => {});
    throw error;
  }
  const kept = typeof answer === "string" && answer.length <= MAX_ANSWER_CHARACTERS ? { answer } : {};
  // The work is done: a failure to store the key must not look like a failure of the work.
  if (known === undefined) await store.complete(name, { fingerprint, ...kept }).catch(() => {});
  return answer;
}

const KEY_IN_USE = "The first call with this Idempotency-Key is still in progress. Repeat this one a little later.";

export function keyReused(): PlatformError {
  return new PlatformError(
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used with another request. Use a new key for each request; nothing was changed.",
  );
}

/** The hash is the same for values that are equal as JSON, in any order of their members. */
export function digest(value: unknown): string {
  return hash("sha256", JSON.stringify(value, sortMembers) ?? "");
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
