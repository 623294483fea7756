import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { KeyRecord } from "#ports/api-keys/key-store.ts";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { Caller } from "#services/gateway/identity/caller.ts";
import { ApiKeyAuthenticator } from "#services/gateway/identity/keys/api-key-authenticator.ts";
import { createKey, type KeyRequest } from "#services/gateway/identity/keys/create-key.ts";
import { KeyUses } from "#services/gateway/identity/keys/key-uses.ts";
import { KnownKeys } from "#services/gateway/identity/keys/known-keys.ts";
import { bearing, incoming } from "#test/helpers/identity/incoming.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

/** A store that counts its reads, and can be unavailable. */
class CountingStore extends TabularKeyStore {
  reads = 0;
  isDown = false;

  override async get(id: string): Promise<KeyRecord | undefined> {
    this.reads += 1;
    if (this.isDown) throw new PlatformError("STORE_UNAVAILABLE", "down");
    return super.get(id);
  }
}

function startWorld() {
  const clock = new FixedClock();
  const ids = new UuidV7Generator(() => clock.now());
  const logger = new RecordingLogger();
  const store = new CountingStore({ table: new InMemoryRowTable() });
  const keys = new KnownKeys({ store, clock, logger });
  const uses = new KeyUses({ store, logger });
  const authenticator = new ApiKeyAuthenticator({ keys, uses, clock });
  const add = async (request: Partial<KeyRequest> = {}) => {
    const made = createKey({ name: "ci", scopes: ["runs:write"], ...request }, { clock, ids });
    await store.create(made.record);
    return { text: made.text, id: made.record.id };
  };
  const ask = async (text: string): Promise<Caller | string> => {
    try {
      return (await authenticator.authenticate(bearing(text))) ?? "no caller";
    } catch (error) {
      return error instanceof PlatformError ? `${error.reason}: ${error.message}` : String(error);
    }
  };
  return {
    clock,
    store,
    keys,
    uses,
    authenticator,
    add,
    ask,
    [Symbol.asyncDispose]: () => uses[Symbol.asyncDispose](),
  };
}

const INVALID = "UNAUTHENTICATED: The API key is not valid: check it, or create another one.";
const MISTYPED = "UNAUTHENTICATED: The API key is incomplete or mistyped: keys look like fl_<id>_<secret>.";
const CROWDED = "IDENTITY_UNAVAILABLE: Too many unknown API keys are being checked. Try again soon.";

describe("an API key", () => {
  it("identifies its caller with what it was given, in either header", async () => {
    verifies("authentication:requests", "authentication:api-key:form");
    await using world = startWorld();
    const given = { scopes: ["runs:write", "users:all"], userId: "ada", apps: ["echo"], expiresInSeconds: 60 } as const;
    const { text, id } = await world.add(given);
    const caller = {
      ...{ source: "api-key", subject: `key:${id}`, tenantId: "default", userId: "ada", apps: ["echo"], groups: [] },
      ...{ scopes: new Set(["runs:write", "users:all"]), keyId: id, expiresAtMs: world.clock.now() + 60_000 },
    };
    expect(await world.ask(text)).toEqual(caller);
    expect(await world.authenticator.authenticate(incoming([["X-API-Key", text]]))).toEqual(caller);
    expect(text).toMatch(/^fl_[0-9a-f]{32}_[A-Za-z0-9_-]{43}[0-9a-z]{7}$/);
    expect(JSON.stringify(await world.store.list({ limit: 9 }))).not.toContain(text.slice(36, 79));
  });

  it("is not what other requests have", async () => {
    await using world = startWorld();
    for (const headers of [[], [["Authorization", "Bearer eyJ.a.b"]], [["Authorization", "Basic Zmw6eA=="]]] as const)
      expect(world.authenticator.authenticate(incoming(headers))).toBeUndefined();
  });

  it("that is mistyped costs no read of the store", async () => {
    verifies("authentication:api-key:form", "authentication:api-key:unknown");
    await using world = startWorld();
    const { text } = await world.add();
    const last = text.endsWith("0") ? "1" : "0";
    const swapped = `${text.slice(0, 40)}${text[41]}${text[40]}${text.slice(42)}`;
    for (const wrong of [
      text.slice(0, -1),
      text.slice(0, -1) + last,
      `${text}0`,
      "fl_",
      "fl_a_b",
      text.toUpperCase(),
      swapped,
    ])
      if (wrong !== text)
        expect([wrong, await world.ask(wrong)]).toEqual([wrong, wrong.startsWith("fl_") ? MISTYPED : "no caller"]);
    expect(world.store.reads).toBe(0);
  });

  it("of an existing id with another secret is refused like an unknown one", async () => {
    verifies("authentication:api-key:form");
    await using world = startWorld();
    const valid = await world.add();
    const expired = await world.add({ expiresInSeconds: 1 });
    const revoked = await world.add();
    await world.store.revoke(revoked.id, world.clock.now());
    world.clock.advance(2000);
    for (const { id } of [valid, expired, revoked]) {
      const forged = createKey({ name: "x", scopes: [] }, { clock: world.clock, ids: { next: () => id } });
      expect(await world.ask(forged.text)).toBe(INVALID);
    }
    expect(await world.ask(revoked.text)).toBe("UNAUTHENTICATED: The API key is revoked: create another one.");
    const unknown = createKey({ name: "x", scopes: [] }, { clock: world.clock, ids: new UuidV7Generator() });
    expect(await world.ask(unknown.text)).toBe(INVALID);
  });

  it("is refused from its expiry on, also while it is remembered", async () => {
    verifies("authentication:api-key:form");
    await using world = startWorld();
    const { text } = await world.add({ expiresInSeconds: 10 });
    world.clock.advance(9999);
    expect(await world.ask(text)).toMatchObject({ source: "api-key" });
    world.clock.advance(1);
    expect(await world.ask(text)).toBe("UNAUTHENTICATED: The API key has expired: create another one.");
  });

  it("sent twice in one request is refused, and so are two different keys", async () => {
    verifies("authentication:kinds");
    await using world = startWorld();
    const first = (await world.add()).text;
    const second = (await world.add()).text;
    const requests = [
      [
        ["Authorization", `Bearer ${first}`],
        ["authorization", `Bearer ${second}`],
      ],
      [
        ["X-API-Key", first],
        ["x-api-key", second],
      ],
      [
        ["X-API-Key", first],
        ["Authorization", `Bearer ${second}`],
      ],
    ] as const;
    for (const headers of requests)
      expect(() => world.authenticator.authenticate(incoming(headers))).toThrow(/several headers|different API keys/);
  });
});

describe("the store of keys", () => {
  it("is read once a minute for a key in use, in the background", async () => {
    verifies("authentication:api-key:revocation");
    await using world = startWorld();
    const { text } = await world.add();
    for (let second = 0; second < 29; second += 1) {
      expect(await world.ask(text)).toMatchObject({ source: "api-key" });
      world.clock.advance(1000);
    }
    expect(world.store.reads).toBe(1);
    world.clock.advance(1000);
    // The answer is there before the store's.
    expect(world.authenticator.authenticate(bearing(text))).toMatchObject({ source: "api-key" });
    expect(world.store.reads).toBe(2);
  });

  it("is read once for many requests at the same time", async () => {
    await using world = startWorld();
    const { text } = await world.add();
    await Promise.all(Array.from({ length: 20 }, () => world.ask(text)));
    expect(world.store.reads).toBe(1);
  });

  it("makes a revoked key refused within a minute, and immediately where it is forgotten", async () => {
    verifies("authentication:api-key:revocation");
    await using world = startWorld();
    const there = await world.add();
    const here = await world.add();
    for (const { text } of [there, here]) await world.ask(text);
    for (const { id } of [there, here]) await world.store.revoke(id, world.clock.now());
    world.keys.forget(here.id);
    const revoked = "UNAUTHENTICATED: The API key is revoked: create another one.";
    expect([await world.ask(here.text), await world.ask(there.text)]).toEqual([
      revoked,
      expect.objectContaining({ source: "api-key" }),
    ]);
    world.clock.advance(60_000);
    expect(await world.ask(there.text)).toBe(revoked);
  });

  it("may be unavailable for less than a minute", async () => {
    verifies("authentication:api-key:revocation");
    await using world = startWorld();
    const { text } = await world.add();
    await world.ask(text);
    world.store.isDown = true;
    world.clock.advance(59_000);
    expect(await world.ask(text)).toMatchObject({ source: "api-key" });
    world.clock.advance(1000);
    expect(await world.ask(text)).toBe("IDENTITY_UNAVAILABLE: API keys cannot be checked now. Try again soon.");
    world.store.isDown = false;
    expect(await world.ask(text)).toMatchObject({ source: "api-key" });
  });

  it("is read for a limited number of unknown keys, which known ones do not notice", async () => {
    verifies("authentication:api-key:unknown");
    await using world = startWorld();
    const { text } = await world.add();
    await world.ask(text);
    const forged = () => createKey({ name: "x", scopes: [] }, { clock: world.clock, ids: new UuidV7Generator() }).text;
    const answers: unknown[] = [];
    for (let count = 0; count < 150; count += 1) answers.push(await world.ask(forged()));
    expect([world.store.reads, answers.filter((answer) => answer === CROWDED).length]).toEqual([100, 51]);
    expect(await world.ask(text)).toMatchObject({ source: "api-key" });
    world.clock.advance(100);
    for (let count = 0; count < 10; count += 1) await world.ask(forged());
    expect(world.store.reads).toBe(105);
    // Other clients have room of their own: an address, or a network of IPv6.
    const send = async (key: string, address: string) =>
      world.authenticator.authenticate(incoming([["X-API-Key", key]], address));
    for (const address of ["192.0.2.7", "2001:db8::7"])
      expect(await send((await world.add()).text, address)).toMatchObject({ source: "api-key" });
    for (let count = 0; count < 600; count += 1) await send(forged(), `192.0.2.${count % 6}`).catch(() => {});
    await expect(send((await world.add()).text, "192.0.2.8")).rejects.toMatchObject({ reason: "IDENTITY_UNAVAILABLE" });
    // A session's key, whose id this server has sealed, is read at all times.
    expect(await world.authenticator.callerOfId((await world.add()).id)).toMatchObject({ source: "api-key" });
    // The reads of a key that was there are not limited.
    world.clock.advance(59_900);
    for (let count = 0; count < 150; count += 1) await world.ask(forged());
    expect(await world.ask(text)).toMatchObject({ source: "api-key" });
  });

  it("is not asked again for the same unknown key", async () => {
    verifies("authentication:api-key:unknown");
    await using world = startWorld();
    const forged = createKey({ name: "x", scopes: [] }, { clock: world.clock, ids: new UuidV7Generator() }).text;
    for (let count = 0; count < 50; count += 1) expect(await world.ask(forged)).toBe(INVALID);
    expect(world.store.reads).toBe(1);
  });

  it("gets the last use of keys with a delay, and when the server ends", async () => {
    await using world = startWorld();
    const { text, id } = await world.add();
    await world.ask(text);
    world.clock.advance(5);
    await world.ask(text);
    expect((await world.store.get(id))?.lastUsedAtMs).toBeUndefined();
    await world.uses.write();
    expect((await world.store.get(id))?.lastUsedAtMs).toBe(world.clock.now());
    world.clock.advance(7);
    await world.ask(text);
    await world.uses[Symbol.asyncDispose]();
    expect((await world.store.get(id))?.lastUsedAtMs).toBe(world.clock.now());
  });
});
