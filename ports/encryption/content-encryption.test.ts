import { describe, expect, it } from "vitest";
import { createTenantKeys, keyOf } from "#test/helpers/security/tenant-keys.ts";
import { ContentKeys } from "./content-keys.ts";
import { type ContentPlace, type ContentSealer, plainContent } from "./content-sealer.ts";
import { MissingContentKey, MissingContentKeys } from "./missing-content-key.ts";

const PLACE: ContentPlace = { tenantId: "acme", parts: ["event", "app", "user", "session", 1] };
const UNAVAILABLE = { reason: "CONTENT_KEY_UNAVAILABLE", details: { tenantId: "acme" } };
const UNREADABLE = { reason: "CONTENT_UNREADABLE", details: { tenantId: "acme" } };

/** The smallest store: it keeps one text. */
class Drawer {
  readonly #sealer: ContentSealer;
  text = "";

  constructor(sealer: ContentSealer) {
    this.#sealer = sealer;
  }

  async put(text: string, place = PLACE): Promise<void> {
    this.text = this.#sealer.sealText(text, place);
  }

  async take(place = PLACE): Promise<string> {
    return this.#sealer.openText(this.text, place);
  }
}

function createDrawer(world = createTenantKeys()) {
  const open = (): Drawer => {
    const encryption = world.start();
    return encryption.withKeys(new Drawer(encryption.sealer));
  };
  return { ...world, drawer: open(), open };
}

/** What another process with the same keys reads. */
async function readElsewhere(open: () => Drawer, text: string, place?: ContentPlace): Promise<string> {
  const drawer = open();
  drawer.text = text;
  return drawer.take(place);
}

describe("sealed content", () => {
  it("is opened at its place, by every process with the tenant's key", async () => {
    const { drawer, open } = createDrawer();
    for (const text of ['{"a":"ü"}', "", "x".repeat(100_000)]) {
      await drawer.put(text);
      expect(await drawer.take()).toBe(text);
      expect(await readElsewhere(open, drawer.text)).toBe(text);
    }
  });

  it("differs each time, and shows nothing of its text", async () => {
    const { drawer } = createDrawer();
    const sealed = new Set<string>();
    for (let count = 0; count < 20; count += 1) {
      await drawer.put("secret secret secret");
      sealed.add(drawer.text);
      expect(Buffer.from(drawer.text.slice(4), "base64url").includes("secret")).toBe(false);
    }
    expect(sealed.size).toBe(20);
  });

  it.each<[string, ContentPlace]>([
    ["another sequence", { ...PLACE, parts: ["event", "app", "user", "session", 2] }],
    ["another session", { ...PLACE, parts: ["event", "app", "user", "other", 1] }],
    ["another kind", { ...PLACE, parts: ["state", "app", "user", "session", 1] }],
    ["parts that are joined differently", { ...PLACE, parts: ["event", "app", "user,session", 1] }],
  ])("is refused at %s", async (_, place) => {
    const { drawer } = createDrawer();
    await drawer.put("secret");
    await expect(drawer.take(place)).rejects.toMatchObject(UNREADABLE);
  });

  it("is refused in another tenant, whose key does not open it", async () => {
    const { drawer } = createDrawer();
    await drawer.put("secret");
    await expect(drawer.take({ ...PLACE, tenantId: "globex" })).rejects.toMatchObject({
      reason: "CONTENT_KEY_UNAVAILABLE",
      details: { tenantId: "globex" },
    });
  });

  it("is refused if any of its bytes is changed, missing or added", async () => {
    const { drawer, open } = createDrawer();
    await drawer.put("secret");
    const bytes = Buffer.from(drawer.text.slice(4), "base64url");
    const changed = Array.from(bytes.keys(), (index) => {
      const copy = Buffer.from(bytes);
      copy[index] = (copy[index] ?? 0) ^ 1;
      return copy;
    });
    const cut = Array.from(bytes.keys(), (index) => bytes.subarray(0, index));
    for (const broken of [...changed, ...cut, Buffer.concat([bytes, bytes.subarray(0, 1)])]) {
      const reading = readElsewhere(open, `fl1.${broken.toString("base64url")}`);
      await expect(reading).rejects.toMatchObject({ reason: expect.stringMatching(/^CONTENT_/) });
    }
  });

  it("that ends before its key does is damaged, and no key is asked for", async () => {
    const { drawer, open } = createDrawer();
    await drawer.put("secret");
    const bytes = Buffer.from(drawer.text.slice(4), "base64url");
    const keyEnd = 2 + bytes.readUInt16BE();
    for (const length of [0, 1, 2, keyEnd - 1]) {
      const reading = readElsewhere(open, `fl1.${bytes.subarray(0, length).toString("base64url")}`);
      await expect(reading).rejects.toMatchObject(UNREADABLE);
    }
  });

  it("is read beside text that was stored before, which is left as it is", async () => {
    const { drawer, open } = createDrawer();
    expect(await readElsewhere(open, '{"plain":1}')).toBe('{"plain":1}');
    expect(plainContent.openText(plainContent.sealText("{}", PLACE), PLACE)).toBe("{}");
    await drawer.put("secret");
    expect(() => plainContent.openText(drawer.text, PLACE)).toThrow(expect.objectContaining(UNAVAILABLE));
  });
});

it("sealed bytes are opened at their place alone, also if they are a part of others", async () => {
  const world = createTenantKeys();
  const encryption = world.start();
  const sealing = encryption.withKeys({ run: (use: (sealer: ContentSealer) => Uint8Array) => use(encryption.sealer) });
  const sealed = await sealing.run((sealer) => sealer.sealBytes(Buffer.from("secret"), PLACE));
  const around = Buffer.concat([Buffer.from("xx"), sealed, Buffer.from("yy")]).subarray(2, 2 + sealed.length);
  const reading = world.start();
  const opening = reading.withKeys({ open: (place: ContentPlace) => reading.sealer.openBytes(around, place) });
  expect(Buffer.from(await opening.open(PLACE)).toString()).toBe("secret");
  await expect(async () => opening.open({ ...PLACE, parts: ["other"] })).rejects.toMatchObject(UNREADABLE);
  expect(() => plainContent.openBytes(sealed, PLACE)).toThrow(expect.objectContaining(UNAVAILABLE));
  expect(plainContent.sealBytes(sealed, PLACE)).toBe(sealed);
  expect([plainContent.isSealing, encryption.sealer.isSealing]).toEqual([false, true]);
});

it("a store with keys has the members of the store, and its errors", async () => {
  const encryption = createTenantKeys().start();
  const store = encryption.withKeys({
    size: 3,
    fail: () => {
      throw new Error("disk");
    },
    failLater: () => Promise.reject(new Error("disk")),
  });
  expect(store.size).toBe(3);
  await expect(async () => store.fail()).rejects.toThrow("disk");
  await expect(store.failLater()).rejects.toThrow("disk");
});

it("a call that lacks keys of several tenants gets them together", async () => {
  const world = createTenantKeys();
  const encryption = world.start();
  const lacking: string[] = [];
  const store = encryption.withKeys({
    seal: (tenants: readonly string[]): readonly string[] => {
      const missing: MissingContentKey[] = [];
      const sealed = tenants.flatMap((tenantId) => {
        try {
          return encryption.sealer.sealText("x", { tenantId, parts: [] });
        } catch (error) {
          if (!(error instanceof MissingContentKey)) throw error;
          missing.push(error);
          return [];
        }
      });
      lacking.push(missing.map(({ tenantId }) => tenantId).join());
      if (missing.length > 0) throw new MissingContentKeys(missing);
      return sealed;
    },
  });
  expect(await store.seal(["acme", "globex"])).toHaveLength(2);
  expect(lacking).toEqual(["acme,globex", ""]);
});

describe("keys of tenants", () => {
  it("are rotated: the newest encrypts after a day or a start, and all decrypt", async () => {
    const { drawer, keys, clock, open } = createDrawer();
    await drawer.put("before");
    const before = drawer.text;
    keys.set("acme", [keyOf(9), ...(keys.get("acme") ?? [])]);
    expect(await readElsewhere(open, before)).toBe("before");
    const started = open();
    await started.put("after");
    clock.advance(24 * 60 * 60_000);
    await drawer.put("a day later");
    keys.set("acme", [keyOf(9)]);
    clock.advance(300_000);
    expect([await started.take(), await drawer.take()]).toEqual(["after", "a day later"]);
    await expect(readElsewhere(open, before)).rejects.toMatchObject(UNAVAILABLE);
  });

  it("make content unreadable within five minutes when they are deleted, for their tenant alone", async () => {
    const { drawer, keys, clock, open } = createDrawer();
    const elsewhere = { ...PLACE, tenantId: "globex" };
    const other = open();
    await other.put("of globex", elsewhere);
    await drawer.put("secret");
    keys.delete("acme");
    clock.advance(300_000);
    await expect(drawer.take()).rejects.toMatchObject(UNAVAILABLE);
    await expect(drawer.put("more")).rejects.toMatchObject(UNAVAILABLE);
    expect(await other.take(elsewhere)).toBe("of globex");
  });

  it("are requested again 30 seconds after a refusal", async () => {
    const { drawer, keys, clock } = createDrawer();
    const [key = keyOf(0)] = keys.get("acme") ?? [];
    await drawer.put("secret");
    keys.delete("acme");
    clock.advance(300_000);
    await expect(drawer.take()).rejects.toMatchObject(UNAVAILABLE);
    keys.set("acme", [key]);
    await expect(drawer.take()).rejects.toMatchObject(UNAVAILABLE);
    clock.advance(30_000);
    expect(await drawer.take()).toBe("secret");
  });

  it("are replaced without a restart: the new one encrypts when the old one no longer opens the data key", async () => {
    const { drawer, keys, clock, open } = createDrawer();
    await drawer.put("before");
    const before = drawer.text;
    keys.set("acme", [keyOf(9)]);
    clock.advance(300_000);
    await drawer.put("after");
    expect(await readElsewhere(open, drawer.text)).toBe("after");
    await expect(readElsewhere(open, before)).rejects.toMatchObject(UNAVAILABLE);
  });

  it("are fetched once for concurrent calls, and kept up to a number", async () => {
    const world = createTenantKeys();
    let wrapped = 0;
    let unwrapped = 0;
    const provider: typeof world.provider = {
      wrap: async (tenantId, key) => {
        wrapped += 1;
        return world.provider.wrap(tenantId, key);
      },
      unwrap: async (tenantId, key) => {
        unwrapped += 1;
        return world.provider.unwrap(tenantId, key);
      },
    };
    const keys = new ContentKeys({ provider, clock: world.clock, maxKeys: 1 });
    const missing = (tenantId: string) => ({ tenantId, wrapped: undefined, name: "", message: "" });
    await Promise.all(Array.from({ length: 5 }, () => keys.load(missing("acme"))));
    const { wrapped: first } = keys.newest("acme");
    expect([wrapped, unwrapped]).toEqual([1, 1]);
    await keys.load(missing("globex"));
    expect(() => keys.get("acme", first)).toThrow("A data key is not in memory.");
    await Promise.all(Array.from({ length: 5 }, () => keys.load({ ...missing("acme"), wrapped: first })));
    expect(keys.get("acme", first).wrapped).toEqual(first);
    expect([wrapped, unwrapped]).toEqual([2, 3]);
  });

  it("are not used if the provider unwraps them to other bytes", async () => {
    const world = createTenantKeys();
    const provider: typeof world.provider = {
      wrap: (tenantId) => world.provider.wrap(tenantId, Buffer.alloc(32)),
      unwrap: (tenantId, key) => world.provider.unwrap(tenantId, key),
    };
    const keys = new ContentKeys({ provider, clock: world.clock });
    const missing = { tenantId: "acme", wrapped: undefined, name: "", message: "" };
    await keys.load(missing);
    expect(() => keys.newest("acme")).toThrow(expect.objectContaining(UNREADABLE));
  });

  it("that cannot be reached fail the call with the provider's error, and are requested again by the next", async () => {
    const world = createTenantKeys();
    let isDown = true;
    const provider: typeof world.provider = {
      unwrap: (tenantId, key) => world.provider.unwrap(tenantId, key),
      wrap: async (tenantId, key) => {
        if (isDown) throw new Error("down");
        return world.provider.wrap(tenantId, key);
      },
    };
    const keys = new ContentKeys({ provider, clock: world.clock });
    const missing = { tenantId: "acme", wrapped: undefined, name: "", message: "" };
    await expect(keys.load(missing)).rejects.toThrow("down");
    isDown = false;
    await keys.load(missing);
    expect(keys.newest("acme").wrapped).toBeInstanceOf(Buffer);
  });
});
