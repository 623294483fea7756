import { describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import { EndedSessionCache } from "./ended-session-cache.ts";

const SESSION = { id: "s", expiresAtMs: 1_800_000_000_000 };

/** Two processes that share a store of ended sessions, which can be down. */
function createProcesses() {
  const clock = new FixedClock();
  const ended = new Map<string, number>();
  const reads: string[] = [];
  const state = { isDown: false };
  const shared: EndedSessions = {
    add: async ({ id, tenantId = "default" }, forMs) => {
      if (state.isDown) throw new Error("down");
      ended.set(`${tenantId} ${id}`, forMs);
    },
    has: async ({ id, tenantId = "default" }) => {
      reads.push(id);
      if (state.isDown) throw new Error("down");
      return ended.has(`${tenantId} ${id}`);
    },
  };
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: unknown, text: string) => void warnings.push(text) };
  const open = () => new EndedSessionCache({ shared, clock, logger });
  return { clock, here: open(), there: open(), ended, reads, state, warnings };
}

describe("a session that another process has ended", () => {
  it("is refused within five seconds, and the store is read no more often", async () => {
    const { clock, here, there, ended, reads } = createProcesses();
    expect(await here.has(SESSION)).toBe(false);
    await there.add(SESSION, SESSION.expiresAtMs);
    expect([...ended.values()]).toEqual([SESSION.expiresAtMs - clock.now()]);
    clock.advance(4999);
    expect(here.has(SESSION)).toBe(false);
    clock.advance(1);
    expect(await here.has(SESSION)).toBe(true);
    expect(here.has(SESSION)).toBe(true);
    expect(reads).toEqual(["s", "s"]);
  });

  it("is read once for requests at the same time, and again at once after a renewal", async () => {
    const { here, reads } = createProcesses();
    expect(await Promise.all([here.has(SESSION), here.has(SESSION), here.check(SESSION)])).toEqual([
      false,
      false,
      false,
    ]);
    expect(reads).toEqual(["s"]);
    await here.has({ ...SESSION, expiresAtMs: SESSION.expiresAtMs + 1 });
    expect(reads).toEqual(["s", "s"]);
  });

  it("is not that of another tenant", async () => {
    const { here, there } = createProcesses();
    await there.add({ ...SESSION, tenantId: "acme" }, SESSION.expiresAtMs);
    expect(await here.has(SESSION)).toBe(false);
  });
});

it("signs nobody out while the store is down, which is logged once, and knows its own", async () => {
  const { clock, here, there, state, warnings } = createProcesses();
  state.isDown = true;
  for (let request = 0; request < 2; request += 1) {
    expect(await here.has(SESSION)).toBe(false);
    clock.advance(5000);
  }
  expect(warnings).toEqual(["sessions that other gateways have ended cannot be read"]);
  await here.add(SESSION, SESSION.expiresAtMs);
  expect(here.has(SESSION)).toBe(true);
  state.isDown = false;
  expect(await there.has(SESSION)).toBe(false);
});
