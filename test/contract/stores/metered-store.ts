import { expect, it } from "vitest";
import { completeStorageLimits, type GivenStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import {
  limitNamesOf,
  METERED_LIMITS,
  type MeteredKind,
  type StorageCount,
  type StorageLimits,
} from "#ports/storage-limits/storage-limits.ts";
import { verifies } from "#test/helpers/verifies.ts";

export interface MeteredOwner {
  readonly appName: string;
  readonly userId: string;
  readonly tenantId?: string;
}

export interface OpenedMeteredStore<Store> {
  readonly store: Store;
  readonly dispose: () => Promise<void>;
  /** Ends the store, and opens another one on its data. Absent for stores in memory. */
  readonly reopen?: (storage: StorageLimits | undefined) => Promise<Store>;
}

export interface MeteredStoreContract<Store extends MeteredStore> {
  readonly kind: MeteredKind;
  readonly create: (storage: StorageLimits | undefined) => Promise<OpenedMeteredStore<Store>>;
  /** Adds an item of that name with the text. */
  readonly put: (store: Store, owner: MeteredOwner, item: { name: string; text: string }) => Promise<unknown>;
  /** Deletes the item of that name, or fails if it does not exist. */
  readonly remove: (store: Store, owner: MeteredOwner, name: string) => Promise<unknown>;
  /** How many items of these names exist. */
  readonly count: (store: Store, owner: MeteredOwner, names: readonly string[]) => Promise<number>;
  /** Whether `put` of a name that exists replaces its item. */
  readonly replaces: boolean;
}

const ADA: MeteredOwner = { appName: "app", userId: "ada" };
const NOTHING = { items: 0, bytes: 0 };
const NAMES = Array.from({ length: 50 }, (_, index) => `n${String(index).padStart(2, "0")}`);
const TEXT = "x".repeat(1_000);

/** The limits of other stored data than sessions, in every store. */
export function meteredStoreContract<Store extends MeteredStore>(contract: MeteredStoreContract<Store>): void {
  const { kind, put, remove, count, replaces } = contract;
  const { items: itemsLimit, bytes: bytesLimit } = METERED_LIMITS[kind];
  const scopes = kind === "evaluations" ? (["app", "tenant"] as const) : (["user", "app", "tenant"] as const);
  const [narrowest] = scopes;
  const limitsOf = (given: GivenStorageLimits) => completeStorageLimits(given, limitNamesOf(kind));
  const countOf = (scope: StorageCount["scope"], { appName, userId, ...tenant }: MeteredOwner): StorageCount => ({
    ...tenant,
    scope,
    name: { user: userId, app: appName, tenant: "" }[scope],
  });

  async function startWorld(given: GivenStorageLimits | undefined) {
    let current = given;
    const storage: StorageLimits = {
      get counted() {
        return limitsOf(current ?? {}).counted;
      },
      maxOf: (...of) => limitsOf(current ?? {}).maxOf(...of),
    };
    const opened = await contract.create(storage);
    let { store } = opened;
    return {
      get store() {
        return store;
      },
      setLimits: (changed: GivenStorageLimits) => {
        current = changed;
      },
      reopen: async () => {
        if (opened.reopen === undefined) return false;
        store = await opened.reopen(storage);
        return true;
      },
      stored: async (scope: StorageCount["scope"] = narrowest, owner = ADA) =>
        (await store.readStored([countOf(scope, owner)]))[0],
      [Symbol.asyncDispose]: opened.dispose,
    };
  }

  /** Bytes of one item with `TEXT`. */
  async function itemBytes(): Promise<number> {
    await using world = await startWorld({ [narrowest]: { [bytesLimit]: 1_000_000 } });
    await put(world.store, ADA, { name: "n00", text: TEXT });
    const stored = await world.stored();
    return stored?.bytes ?? 0;
  }

  const exceeded = (limit: string, max: number) => ({
    reason: "QUOTA_EXCEEDED",
    code: "RESOURCE_EXHAUSTED",
    details: expect.objectContaining({ limit, scope: narrowest, max: String(max) }),
  });

  it("stores exactly what a limit of bytes has room for, of many writes at the same time", async () => {
    verifies("quotas:stored-data");
    const size = await itemBytes();
    expect(size).toBeGreaterThanOrEqual(TEXT.length);
    const max = 10 * size;
    await using world = await startWorld({ [narrowest]: { [bytesLimit]: max } });
    const results = await Promise.allSettled(NAMES.map((name) => put(world.store, ADA, { name, text: TEXT })));
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refusals.length).toBe(40);
    for (const refusal of refusals) expect(refusal).toMatchObject(exceeded(bytesLimit, max));
    expect(await count(world.store, ADA, NAMES)).toBe(10);
    expect(await world.stored()).toEqual({ items: 10, bytes: max });
  });

  it.skipIf(itemsLimit === undefined)("stores exactly as many as a limit of their number allows", async () => {
    const limit = itemsLimit ?? "";
    await using world = await startWorld({ [narrowest]: { [limit]: 10 } });
    const results = await Promise.allSettled(NAMES.map((name) => put(world.store, ADA, { name, text: "x" })));
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(10);
    expect(await count(world.store, ADA, NAMES)).toBe(10);
    expect((await world.stored())?.items).toBe(10);
  });

  it("gives the room back that a deletion makes, once", async () => {
    const size = await itemBytes();
    await using world = await startWorld({ [narrowest]: { [bytesLimit]: 2 * size } });
    const { store } = world;
    await put(store, ADA, { name: "n00", text: TEXT });
    await put(store, ADA, { name: "n01", text: TEXT });
    await expect(put(store, ADA, { name: "n02", text: TEXT })).rejects.toMatchObject(exceeded(bytesLimit, 2 * size));
    await Promise.allSettled(Array.from({ length: 4 }, () => remove(store, ADA, "n00")));
    expect(await world.stored()).toEqual({ items: 1, bytes: size });
    await put(store, ADA, { name: "n02", text: TEXT });
    await remove(store, ADA, "n01");
    await remove(store, ADA, "n02");
    expect(await world.stored()).toEqual(NOTHING);
  });

  it("counts for the names of each scope, and of no other tenant", async () => {
    const size = await itemBytes();
    await using world = await startWorld(
      Object.fromEntries(scopes.map((scope) => [scope, { [bytesLimit]: 1_000_000 }])),
    );
    const acme = { ...ADA, tenantId: "acme" };
    const owners = [ADA, { ...ADA, userId: "bob" }, { ...ADA, appName: "web" }, acme];
    for (const [index, owner] of owners.entries()) await put(world.store, owner, { name: `n0${index}`, text: TEXT });
    const stored = await Promise.all(scopes.map((scope) => world.stored(scope)));
    const expected = { user: 2, app: 2, tenant: 3 };
    expect(stored).toEqual(scopes.map((scope) => ({ items: expected[scope], bytes: expected[scope] * size })));
    for (const scope of scopes) expect(await world.stored(scope, acme)).toEqual({ items: 1, bytes: size });
    expect(await world.stored(narrowest, { appName: "no", userId: "no" })).toEqual(NOTHING);
  });

  it.skipIf(!replaces)("counts what replaces an item in its place", async () => {
    const size = await itemBytes();
    await using world = await startWorld({ [narrowest]: { [bytesLimit]: 2 * size } });
    const { store } = world;
    await put(store, ADA, { name: "n00", text: TEXT });
    await put(store, ADA, { name: "n00", text: TEXT });
    expect(await world.stored()).toEqual({ items: 1, bytes: size });
    const longer = { name: "n00", text: TEXT.repeat(3) };
    await expect(put(store, ADA, longer)).rejects.toMatchObject(exceeded(bytesLimit, 2 * size));
    expect(await world.stored()).toEqual({ items: 1, bytes: size });
    await put(store, ADA, { name: "n00", text: "x" });
    expect((await world.stored())?.bytes).toBeLessThan(size);
  });

  it("counts the same after the store was opened again", async () => {
    await using world = await startWorld({ [narrowest]: { [bytesLimit]: 1_000_000 } });
    for (const name of NAMES.slice(0, 5)) await put(world.store, ADA, { name, text: TEXT });
    await remove(world.store, ADA, "n01");
    const acme = { ...ADA, tenantId: "acme" };
    await put(world.store, acme, { name: "n01", text: TEXT });
    const stored = () => Promise.all([world.stored(), world.stored(narrowest, acme)]);
    const before = await stored();
    expect(before.map((count) => count?.items)).toEqual([4, 1]);
    if (await world.reopen()) expect(await stored()).toEqual(before);
  });

  it("deletes data from before a limit without giving back what it did not count", async () => {
    const size = await itemBytes();
    await using world = await startWorld({});
    const { store } = world;
    await put(store, ADA, { name: "n00", text: TEXT });
    world.setLimits({ [narrowest]: { [bytesLimit]: 3 * size } });
    await put(store, ADA, { name: "n01", text: TEXT });
    await put(store, ADA, { name: "n02", text: TEXT });
    await remove(store, ADA, "n00");
    expect(await world.stored()).toEqual({ items: 2, bytes: 2 * size });
    await put(store, ADA, { name: "n03", text: TEXT });
    await expect(put(store, ADA, { name: "n04", text: TEXT })).rejects.toMatchObject(exceeded(bytesLimit, 3 * size));
  });
}
