import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { encryptionWith } from "./given-key-provider.ts";
import { createLocalKeyProvider, type LocalKeys } from "./given-tenant-keys.ts";

const KEY = Buffer.alloc(32, 1);
const OTHER = Buffer.alloc(32, 2);
const DATA_KEY = Buffer.alloc(32, 9);

it("encrypts with the first key of a tenant, and decrypts with each of its own", async () => {
  const given = { acme: [KEY, OTHER], globex: [OTHER] };
  const provider = createLocalKeyProvider({ tenants: given });
  const wrapped = await provider.wrap("acme", DATA_KEY);
  expect(await provider.unwrap("acme", wrapped)).toEqual(DATA_KEY);
  expect(await createLocalKeyProvider({ tenants: { acme: [KEY] } }).unwrap("acme", wrapped)).toEqual(DATA_KEY);
  await expect(provider.unwrap("globex", wrapped)).rejects.toMatchObject({
    reason: expect.stringMatching(/^CONTENT_/),
  });
  const older = await createLocalKeyProvider({ tenants: { acme: [OTHER] } }).wrap("acme", DATA_KEY);
  expect(await provider.unwrap("acme", older)).toEqual(DATA_KEY);
  await expect(provider.wrap("initech", DATA_KEY)).rejects.toMatchObject({ reason: "CONTENT_KEY_UNAVAILABLE" });
});

it("keeps copies of the keys", async () => {
  const key = Buffer.from(KEY);
  const provider = createLocalKeyProvider({ tenants: { acme: [key] } });
  const wrapped = await provider.wrap("acme", DATA_KEY);
  key.fill(0);
  expect(await provider.unwrap("acme", wrapped)).toEqual(DATA_KEY);
});

it.each<[unknown, string]>([
  [{ "Not A Tenant": [KEY] }, "a name that is not a tenant id"],
  [{ acme: [] }, "needs a list of keys for acme"],
  [{ acme: KEY.toString("hex") }, "needs a list of keys for acme"],
  [{ acme: [KEY, KEY.subarray(1)] }, "needs 32 bytes as key 2 of acme"],
  [{ acme: [Buffer.alloc(33)] }, "needs 32 bytes as key 1 of acme"],
  [{ acme: [KEY.toString("latin1")] }, "needs 32 bytes as key 1 of acme"],
])("refuses the keys %j", (tenants, problem) => {
  const create = () => createLocalKeyProvider({ tenants } as LocalKeys);
  expect(create).toThrow(problem);
  expect(create).toThrow(expect.objectContaining({ reason: "INVALID_FIELD", details: { field: "tenants" } }));
});

it("encrypts content if there is a provider", () => {
  const clock = new FixedClock();
  expect(encryptionWith(undefined, clock)).toBeUndefined();
  expect(encryptionWith(createLocalKeyProvider({ tenants: { acme: [KEY] } }), clock)?.sealer.isSealing).toBe(true);
});
