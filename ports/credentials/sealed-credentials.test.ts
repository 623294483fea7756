import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { resealCredentials, type SealedCredential, sealedCredentialsOf } from "./sealed-credentials.ts";

/** A store of credentials with these numbers, which are sealed with another key; loading one seals it again. */
function createStore(numbers: readonly number[], failing: ReadonlyMap<number, Error> = new Map()) {
  const former = new Set(numbers);
  const nameOf = (number: number): string => String(number).padStart(4, "0");
  const all = Math.max(-1, ...numbers) + 1;
  const credentialOf = (number: number): SealedCredential => ({
    owner: { tenantId: "acme", appName: "app", userId: "ada" },
    credentialKey: nameOf(number),
    keyName: former.has(number) ? "old" : "new",
    isCurrent: !former.has(number),
  });
  const loaded: number[] = [];
  return {
    loaded,
    store: {
      loadCredential: async (_owner: unknown, key: string) => {
        const number = Number(key);
        const failure = failing.get(number);
        if (failure !== undefined) throw failure;
        loaded.push(number);
        former.delete(number);
        return undefined;
      },
    },
    sealed: {
      listSealed: async ({
        after,
        limit,
      }: {
        readonly after?: SealedCredential | undefined;
        readonly limit: number;
      }) => {
        const from = after === undefined ? 0 : Number(after.credentialKey) + 1;
        return Array.from({ length: Math.min(limit, all - from) }, (_, index) => credentialOf(from + index));
      },
    },
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it.each([0, 1, 199, 200, 201, 450])("seals each of %i credentials again, on all pages", async (count) => {
  const { store, sealed, loaded } = createStore(range(count));
  expect(await resealCredentials(store, sealed)).toEqual({ count, resealed: count, left: [] });
  expect(loaded).toEqual(range(count));
});

it("leaves those that have the current key alone, and reports those that cannot be opened, with the reason", async () => {
  const failing = new Map<number, Error>([
    [2, new PlatformError("CREDENTIAL_KEY_UNAVAILABLE", "no key")],
    [4, new PlatformError("CREDENTIAL_UNREADABLE", "damaged")],
  ]);
  const { store, sealed, loaded } = createStore([0, 2, 4, 6], failing);
  const report = await resealCredentials(store, sealed);
  expect([report.count, report.resealed, loaded]).toEqual([7, 2, [0, 6]]);
  expect(report.left.map(({ credential, problem }) => [credential.credentialKey, problem])).toEqual([
    ["0002", "CREDENTIAL_KEY_UNAVAILABLE"],
    ["0004", "CREDENTIAL_UNREADABLE"],
  ]);
});

it("reports those that the store did not seal again, and ends at a fault", async () => {
  const { sealed } = createStore([0]);
  const report = await resealCredentials({ loadCredential: async () => undefined }, sealed);
  expect(report).toMatchObject({ count: 1, resealed: 0, left: [{ problem: "STORE_UNAVAILABLE" }] });
  const broken = createStore([0], new Map([[0, new TypeError("bug")]]));
  await expect(resealCredentials(broken.store, broken.sealed)).rejects.toThrow("bug");
});

it("counts no credential as sealed again that another process wrote with the old key meanwhile", async () => {
  const { sealed } = createStore([0, 1]);
  let listings = 0;
  const growing: typeof sealed = {
    listSealed: async (page) => {
      listings += 1;
      return listings === 1 ? [] : sealed.listSealed(page);
    },
  };
  expect(await resealCredentials({ loadCredential: async () => undefined }, growing)).toMatchObject({
    count: 2,
    resealed: 0,
  });
});

it("is not offered by a store that seals nothing", () => {
  const { sealed } = createStore([]);
  expect([sealedCredentialsOf({}), sealedCredentialsOf(sealed)]).toEqual([undefined, sealed]);
});
