import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { ContentKeys } from "./content-keys.ts";
import { MissingContentKey } from "./missing-content-key.ts";

async function createKeys() {
  const { provider, clock, keys: tenants } = createTenantKeys();
  const calls = { unwrap: 0, isDown: false, down: new Set<string>() };
  const counting: typeof provider = {
    wrap: (tenantId, key) => provider.wrap(tenantId, key),
    unwrap: async (tenantId, key) => {
      calls.unwrap += 1;
      if (calls.isDown || calls.down.has(tenantId)) throw new Error("down");
      return provider.unwrap(tenantId, key);
    },
  };
  const keys = new ContentKeys({ provider: counting, clock });
  await keys.load({ tenantId: "acme", wrapped: undefined });
  calls.unwrap = 0;
  return { keys, clock, calls, tenants };
}

const MISSING = "A data key is not in memory.";

function missing(read: () => unknown): MissingContentKey {
  try {
    read();
  } catch (error) {
    if (error instanceof MissingContentKey) return error;
    throw error;
  }
  throw new Error("The key is in memory.");
}

describe("data keys", () => {
  it("that are in use are renewed once before they expire", async () => {
    const { keys, clock, calls } = await createKeys();
    clock.advance(240_000);
    for (let use = 0; use < 3; use += 1) keys.newest("acme");
    await setImmediate();
    expect(calls.unwrap).toBe(1);
    clock.advance(239_999);
    expect(keys.newest("acme").wrapped.length).toBeGreaterThan(0);
    expect(calls.unwrap).toBe(1);
  });

  it("that are not in use expire", async () => {
    const { keys, clock, calls } = await createKeys();
    clock.advance(239_999);
    keys.newest("acme");
    clock.advance(60_001);
    // A key that is only too old is loaded by the call that needs it, as if it had never been in memory.
    for (let use = 0; use < 2; use += 1)
      expect(missing(() => keys.newest("acme"))).toMatchObject({ tenantId: "acme", refused: undefined });
    expect(calls.unwrap).toBe(0);
  });

  it("are renewed and expire by the age that is configured", async () => {
    const { provider, clock } = createTenantKeys();
    const keys = new ContentKeys({ provider, clock, maxAgeMs: 1000 });
    await keys.load({ tenantId: "acme", wrapped: undefined });
    clock.advance(999);
    const { wrapped } = keys.newest("acme");
    await setImmediate();
    clock.advance(999);
    expect(keys.get("acme", wrapped).wrapped).toEqual(wrapped);
    await setImmediate();
    clock.advance(1000);
    expect(missing(() => keys.get("acme", wrapped)).wrapped).toEqual(wrapped);
  });

  it("that cannot be renewed are used until they expire", async () => {
    const { keys, clock, calls } = await createKeys();
    calls.isDown = true;
    clock.advance(240_000);
    keys.newest("acme");
    await setImmediate();
    clock.advance(59_999);
    keys.newest("acme");
    await setImmediate();
    expect(calls.unwrap).toBe(1);
    clock.advance(1);
    expect(() => keys.newest("acme")).toThrow(MISSING);
  });

  it("do not keep the content in memory that they were read from", async () => {
    const { keys, clock } = await createKeys();
    const { wrapped } = keys.newest("acme");
    const content = new Uint8Array(1_000_000);
    content.set(wrapped);
    clock.advance(300_000);
    const view = Buffer.from(content.buffer, 0, wrapped.length);
    await keys.load({ tenantId: "acme", wrapped: view });
    const known = keys.get("acme", view).wrapped;
    expect(known).toEqual(wrapped);
    expect(known.buffer.byteLength).toBe(wrapped.length);
  });

  it("that were refused once are asked for again in the background, and then used", async () => {
    const { keys, clock, calls, tenants } = await createKeys();
    const { wrapped } = keys.newest("acme");
    const [key = Buffer.alloc(0)] = tenants.get("acme") ?? [];
    tenants.delete("acme");
    clock.advance(300_000);
    await keys.load({ tenantId: "acme", wrapped });
    const refusal = expect.objectContaining({ reason: "CONTENT_KEY_UNAVAILABLE" });
    expect(() => keys.get("acme", wrapped)).toThrow(refusal);
    clock.advance(29_999);
    expect(() => keys.get("acme", wrapped)).toThrow(refusal);
    clock.advance(1);
    tenants.set("acme", [key]);
    const again = missing(() => keys.get("acme", wrapped));
    expect(again).toMatchObject({ tenantId: "acme", wrapped, refused: { until: clock.monotonic() } });
    // While the provider is down, it is asked again after each failure, and not after the refusal alone.
    calls.isDown = true;
    clock.advance(5_000);
    again.refused?.askAgain();
    await setImmediate();
    clock.advance(1_000);
    const failed = missing(() => keys.get("acme", wrapped));
    expect(failed.refused?.until).toBe(clock.monotonic() - 1_000);
    calls.isDown = false;
    failed.refused?.askAgain();
    await setImmediate();
    expect(keys.get("acme", wrapped).wrapped).toEqual(wrapped);
  });

  it("of many tenants are loaded together; those that cannot be are missing, and are asked for again", async () => {
    const { keys, calls, clock } = await createKeys();
    calls.down = new Set(["globex"]);
    const both = ["acme", "globex"].map((tenantId) => ({ tenantId, wrapped: undefined }));
    clock.advance(24 * 60 * 60_000);
    await keys.loadAll(both);
    expect(keys.newest("acme").wrapped.length).toBeGreaterThan(0);
    const failed = missing(() => keys.newest("globex"));
    expect(failed.refused?.until).toBe(clock.monotonic());
    failed.refused?.askAgain();
    await setImmediate();
    expect(missing(() => keys.newest("globex")).refused).toBeDefined();
    calls.down = new Set();
    missing(() => keys.newest("globex")).refused?.askAgain();
    await setImmediate();
    expect(keys.newest("globex").wrapped.length).toBeGreaterThan(0);
  });

  it("of many tenants are a failure if none can be loaded", async () => {
    const { keys, calls } = await createKeys();
    calls.down = new Set(["acme", "globex"]);
    const both = ["acme", "globex"].map((tenantId) => ({ tenantId, wrapped: undefined }));
    await expect(keys.loadAll(both)).rejects.toThrow("down");
    expect(missing(() => keys.newest("globex")).refused).toBeUndefined();
  });

  it.each([31, 33])("that a provider opens as %i bytes are refused", async (length) => {
    const { provider, clock } = createTenantKeys();
    const keys = new ContentKeys({ provider: { ...provider, unwrap: async () => Buffer.alloc(length) }, clock });
    const wrapped = Buffer.from("wrapped");
    await keys.load({ tenantId: "acme", wrapped });
    expect(() => keys.get("acme", wrapped)).toThrow(expect.objectContaining({ reason: "CONTENT_KEY_UNAVAILABLE" }));
  });

  it("may be 4,096 bytes when they are wrapped, and no more", async () => {
    const { clock } = createTenantKeys();
    let plain = new Uint8Array();
    const keysOf = (bytes: number) =>
      new ContentKeys({
        clock,
        provider: {
          wrap: async (_tenantId, key) => {
            plain = Uint8Array.from(key);
            return Buffer.alloc(bytes, 7);
          },
          unwrap: async () => plain,
        },
      });
    const fitting = keysOf(4096);
    await fitting.load({ tenantId: "acme", wrapped: undefined });
    expect(fitting.newest("acme").wrapped).toHaveLength(4096);
    await expect(keysOf(4097).load({ tenantId: "acme", wrapped: undefined })).rejects.toThrow("over 4096 bytes");
  });
});
