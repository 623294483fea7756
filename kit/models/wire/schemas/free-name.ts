import { fingerprint } from "#kit/models/fingerprint.ts";

const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/**
 * The name if it is taken where it goes, or else one like it of letters, digits and underscores. A name that is too long,
 * or that is like another one, ends with a hash of the whole name: it is the same in each process, and different names
 * stay different.
 */
export function freeName(name: string, taken: RegExp, isUsed: (name: string) => boolean): string {
  if (taken.test(name) && !isUsed(name)) return name;
  const letters = name
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_/, "")
    .replace(/_$/, "");
  const plain = /^[A-Za-z]/.test(letters) ? letters : `n_${letters}`;
  if (letters !== "" && plain.length <= MAX_CHARACTERS && taken.test(plain) && !isUsed(plain)) return plain;
  for (let salt = 0; ; salt += 1) {
    const hash = fingerprint([name, salt]).slice(0, HASH_CHARACTERS);
    const free = `${plain.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
    if (!isUsed(free)) return free;
  }
}
