import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { ContentKeys } from "./content-keys.ts";

async function createKeys() {
  const { provider, clock } = createTenantKeys();
  const calls = { unwrap: 0, isDown: false };
  const counting: typeof provider = {
    wrap: (tenantId, key) => provider.wrap(tenantId, key),
    unwrap: async (tenantId, key) => {
      calls.unwrap += 1;
      if (calls.isDown) throw new Error("down");
      return provider.unwrap(tenantId, key);
    },
  };
  const keys = new ContentKeys({ provider: counting, clock });
  await keys.load({ tenantId: "acme", wrapped: undefined });
  calls.unwrap = 0;
  return { keys, clock, calls };
}

const MISSING = "A data key is not in memory.";

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
    expect(() => keys.newest("acme")).toThrow(MISSING);
    expect(calls.unwrap).toBe(0);
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
});
