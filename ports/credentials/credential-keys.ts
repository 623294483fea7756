import { PlatformError } from "#kit/errors/platform-error.ts";

/** Encryption keys of 32 bytes by name. The current key seals credentials; every key opens those that it sealed. */
export interface CredentialKeys {
  readonly current: string;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/** The keys that a program gives. */
export interface GivenCredentialKeys {
  /** The name of the key that seals. */
  readonly current: string;
  /**
   * Keys of 32 bytes by name: the current key, and each earlier key until all credentials that it sealed are sealed
   * with the current one.
   */
  readonly keys: Readonly<Record<string, Uint8Array>>;
}

const KEY_BYTES = 32;
/** A name is a part of each sealed text, which has dots between its parts. */
const KEY_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Checks and copies the keys of the entries. `refuse` creates the error for a problem, which contains no bytes of a
 * key.
 */
export function readCredentialKeys(
  current: unknown,
  entries: readonly (readonly [name: string, bytes: unknown])[],
  refuse: (problem: string) => Error,
): CredentialKeys {
  const keys = new Map(
    entries.map(([name, bytes]) => {
      if (!KEY_NAME.test(name)) throw refuse(`names a key "${name}": use 1 to 64 letters, digits, - and _`);
      if (bytes instanceof Uint8Array && bytes.length === KEY_BYTES) return [name, Uint8Array.from(bytes)] as const;
      throw refuse(`needs ${KEY_BYTES} bytes as key ${name}`);
    }),
  );
  if (typeof current !== "string" || !keys.has(current))
    throw refuse(
      `needs a \`current\` that names one of its \`keys\`, which are: ${[...keys.keys()].join(", ") || "none"}`,
    );
  return { current, keys };
}

/** Throws `INVALID_FIELD` for wrong keys, without their bytes. `owner` is the function that got them, for the error. */
export function completeCredentialKeys(owner: string, { current, keys }: GivenCredentialKeys): CredentialKeys {
  return readCredentialKeys(
    current,
    Object.entries(keys),
    (problem) =>
      new PlatformError("INVALID_FIELD", `${owner}: credentialKeys ${problem}.`, {
        details: { field: "credentialKeys" },
      }),
  );
}
