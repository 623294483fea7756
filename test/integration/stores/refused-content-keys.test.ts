import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SqliteSessionStore } from "#adapters/sqlite/sessions/sqlite-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { ContentEncryption } from "#ports/encryption/content-encryption.ts";
import { ContentKeys } from "#ports/encryption/content-keys.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import { LocalKeyProvider } from "#ports/encryption/local-key-provider.ts";
import { KEY, LEASE_MS, NOW, started } from "#test/contract/sessions/session-world.ts";
import { keyOf } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";

const TENANTS = Array.from({ length: 800 }, (_, index) => `tenant-${index}`);
const SOUND = "tenant-799";
const RESTORED = "tenant-500";
/** How long the provider takes for a key. All refusals together take longer than one of them is remembered. */
const UNWRAP_MS = 50;

it("finds the runs of a tenant behind 799 tenants whose keys were deleted, and later those of a restored key", async () => {
  verifies("platform:encryption:key-deleted:many");
  await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-content-"));
  const keys: Map<string, readonly Buffer[]> = new Map(TENANTS.map((tenantId) => [tenantId, [keyOf(1)]] as const));
  const local = new LocalKeyProvider(() => keys);
  const time = new FixedClock();
  let unwraps = 0;
  let isDown = false;
  const provider: KeyProvider = {
    wrap: (tenantId, key) => local.wrap(tenantId, key),
    unwrap: (tenantId, wrapped) => {
      unwraps += 1;
      time.advance(UNWRAP_MS);
      if (isDown || tenantId === "tenant-3") throw new Error("The provider cannot be reached.");
      return local.unwrap(tenantId, wrapped);
    },
  };
  const clock = new FixedClock(NOW);
  const open = (of: KeyProvider) => {
    const encryption = new ContentEncryption(new ContentKeys({ provider: of, clock: time }));
    const store = new SqliteSessionStore({
      folder: folder.path,
      clock,
      ids: new SequentialIds(),
      sealer: encryption.sealer,
    });
    return { store, sessions: encryption.withKeys(store) };
  };
  {
    const { store, sessions } = open(local);
    await using _ = store;
    for (const tenantId of TENANTS) {
      await sessions.createSession({ ...KEY, tenantId });
      await started(sessions, "run", { session: { ...KEY, tenantId } });
    }
  }
  const removed = keys.get(RESTORED) ?? [];
  for (const tenantId of TENANTS) if (tenantId !== SOUND) keys.delete(tenantId);
  clock.advance(LEASE_MS + 1);
  const { store, sessions } = open(provider);
  await using _ = store;
  const find = async (limit = 10) =>
    (await sessions.listAbandoned({ minAgeMs: 0, limit })).map(({ session }) => session.tenantId);
  isDown = true;
  await expect(find()).rejects.toThrow("cannot be reached");
  isDown = false;
  unwraps = 0;
  expect(await find(1)).toEqual([SOUND]);
  expect(unwraps).toBeLessThanOrEqual(TENANTS.length + 60);

  keys.set(RESTORED, removed);
  const found: (readonly (string | undefined)[])[] = [];
  for (let scan = 0; scan < 100 && found.at(-1)?.length !== 2; scan += 1) {
    time.advance(30_000);
    unwraps = 0;
    found.push(await find());
    expect(unwraps).toBeLessThanOrEqual(60);
  }
  expect(found.at(-1)).toEqual([RESTORED, SOUND]);
});
