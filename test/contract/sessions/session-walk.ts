import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { type Lease, RUN_STATUSES, type TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import {
  beginRequest,
  LEASE_MS,
  NOW,
  type SessionStore,
  type SessionStoreContract,
  said,
  startSessionWorld,
} from "./session-world.ts";

const STEPS = 300;
const MOST_PAGES = 12;
const ENDED = RUN_STATUSES.filter(
  (status): status is TerminalRunStatus => status !== "pending" && status !== "running",
);

/**
 * Random calls with few names, each of which stands in two tenants, two apps and two users. Every store answers each of
 * them as the store in memory does.
 */
export function sessionWalkContract(contract: SessionStoreContract): void {
  describe("random calls", () => {
    it.each([1, 2])("are answered as by the store in memory, seed %i", async (number) => {
      await using world = await startSessionWorld(contract);
      await using expected = await startSessionWorld({
        create: async (sources) => ({ store: new InMemorySessionStore(sources), dispose: async () => {} }),
      });
      const walk = new Walk(new SeededRandom(TEST_SEED).fork(`walk ${number}`), world.store, world.clock);
      const other = new Walk(new SeededRandom(TEST_SEED).fork(`walk ${number}`), expected.store, expected.clock);
      for (let step = 0; step < STEPS; step += 1)
        expect(withoutIds(await walk.step()), `step ${step}`).toEqual(withoutIds(await other.step()));
    });
  });
}

/** The answers of the store in memory itself, as they were when a person last looked at them. */
export async function answersInMemory(seed: number): Promise<string> {
  await using world = await startSessionWorld({
    create: async (sources) => ({ store: new InMemorySessionStore(sources), dispose: async () => {} }),
  });
  const walk = new Walk(new SeededRandom(seed), world.store, world.clock);
  const lines: string[] = [];
  for (let step = 0; step < STEPS; step += 1)
    lines.push((await walk.step()).map((each) => JSON.stringify(each)).join(" "));
  return `${lines.join("\n")}\n`;
}

class Walk {
  readonly #random: SeededRandom;
  readonly #store: SessionStore;
  readonly #clock: FixedClock;
  readonly #leases: Lease[] = [];
  #last: SessionKey = { appName: "shop", userId: "ada", id: "s1" };
  #events = 0;
  #runs = 0;

  constructor(random: SeededRandom, store: SessionStore, clock: FixedClock) {
    this.#random = random;
    this.#store = store;
    this.#clock = clock;
  }

  /** One call, and its answer or refusal. */
  async step(): Promise<readonly unknown[]> {
    this.#clock.advance(this.#random.pick([0, 0, 0, 1, 999, LEASE_MS]));
    const [name, call] = this.#random.pick(this.#calls);
    try {
      return [name, shown(await call())];
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return [name, error.reason, error.details];
    }
  }

  readonly #calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["createSession", () => this.#store.createSession({ ...this.#key(), state: this.#delta() })],
    [
      "createSession",
      () =>
        this.#store.createSession({
          ...this.#key(),
          state: this.#delta(),
          ...this.#maybe({ events: [said(this.#eventId())] }),
        }),
    ],
    ["getSession", () => this.#store.getSession(this.#key(), this.#range())],
    ["listSessions", () => this.#pages((page) => this.#store.listSessions({ ...this.#owner(), ...page }))],
    [
      "listEventRecords",
      () => this.#pages((page) => this.#store.listEventRecords({ ...this.#key(), ...this.#after(), ...page })),
    ],
    [
      "applyStateDelta",
      () =>
        this.#store.applyStateDelta({ ...this.#key(), stateDelta: this.#delta(), author: "user", invocationId: "i" }),
    ],
    [
      "closeSession",
      () => (this.#random.between(0, 9) === 0 ? this.#store.closeSession(this.#key()) : Promise.resolve()),
    ],
    [
      "deleteSession",
      () => (this.#random.between(0, 7) === 0 ? this.#store.deleteSession(this.#key()) : Promise.resolve()),
    ],
    ["begin", () => this.#begin()],
    ["begin", () => this.#begin()],
    [
      "append",
      () =>
        this.#withLease((lease) =>
          this.#store.append({
            lease,
            leaseMs: LEASE_MS,
            afterRevision: this.#random.between(0, 4),
            events: [this.#event()],
          }),
        ),
    ],
    ["renew", () => this.#withLease((lease) => this.#store.renew(lease, this.#random.pick([1, LEASE_MS])))],
    ["release", () => this.#withLease((lease) => this.#store.release(lease))],
    ["finish", () => this.#withLease((lease) => this.#finish(lease))],
    ["get", () => this.#store.get(this.#runId(), this.#tenant().tenantId)],
    ["cancel", () => this.#store.cancel(this.#runId(), this.#tenant().tenantId)],
    ["list", () => this.#pages((page) => this.#store.list({ ...this.#scope(), ...this.#statuses(), ...page }))],
    ["getHeads", () => this.#store.getHeads([this.#key(), this.#key()])],
    [
      "listAbandoned",
      () =>
        this.#store.listAbandoned({
          minAgeMs: this.#random.pick([0, 1000]),
          limit: this.#random.pick([1, 100]),
          ...this.#maybe({ holder: this.#holder() }),
        }),
    ],
  ];

  async #begin(): Promise<unknown> {
    const { tenantId, ...key } = this.#key();
    const session = tenantId === undefined ? key : { ...key, tenantId };
    const isNew = this.#random.between(0, 2) > 0;
    if (isNew) this.#runs += 1;
    const runId = isNew ? `run ${this.#runs}` : this.#runId();
    const given = beginRequest(runId, {
      ...{ session, holder: this.#holder(), policy: this.#random.pick(["enqueue", "reject", "interrupt", "rollback"]) },
      ...{ invocationId: this.#random.pick(["i", "j"]), haveRevision: this.#random.between(0, 3) },
      ...this.#maybe({ opening: this.#event() }),
      ...this.#maybe({ idempotencyKey: this.#random.pick(["k1", "k2"]) }),
      ...this.#maybe({ maxQueued: this.#random.pick([0, 1, 5]) }),
      ...this.#maybe({ abandonAfterMs: this.#random.pick([0, LEASE_MS]) }),
      ...this.#maybe({ deadline: NOW + 5_000_000 }),
    });
    const result = await this.#store.begin(given);
    if (result.kind !== "started") return result;
    this.#leases.push(result.lease);
    const { durable: _, ...rest } = result;
    return rest;
  }

  #finish(lease: Lease): Promise<unknown> {
    const status = this.#random.pick(ENDED);
    const error = { code: "INTERNAL", reason: "RUN_FAILED", message: "It failed." };
    return this.#store.finish({
      ...{ lease, status, afterRevision: this.#random.between(0, 6), events: [this.#event()] },
      ...this.#maybe({ usage: { promptTokenCount: 3 } }),
      ...this.#maybe({ error }),
    });
  }

  async #withLease(call: (lease: Lease) => Promise<unknown>): Promise<unknown> {
    if (this.#leases.length === 0) return "no lease";
    return call(this.#random.pick(this.#leases.slice(-2)));
  }

  /** All pages of a size. */
  async #pages(call: (page: object) => Promise<{ readonly nextPageToken?: string }>): Promise<unknown> {
    const pageSize = this.#random.pick([1, 2, 50]);
    const pages: unknown[] = [];
    for (let place: object = {}; pages.length < MOST_PAGES; ) {
      const { nextPageToken, ...page } = await call({ pageSize, ...place });
      pages.push(page);
      if (nextPageToken === undefined) break;
      place = { pageToken: nextPageToken };
    }
    return pages;
  }

  #maybe<Members extends object>(members: Members): Partial<Members> {
    return this.#random.between(0, 2) === 0 ? members : {};
  }

  #tenant(): { readonly tenantId?: string } {
    return this.#random.pick([{}, {}, { tenantId: "acme" }]);
  }

  #owner() {
    return {
      ...this.#tenant(),
      appName: this.#random.pick(["shop", "desk"]),
      userId: this.#random.pick(["ada", "bob"]),
    };
  }

  /** Often the one of the last call. */
  #key(): SessionKey {
    if (this.#random.between(0, 9) < 4) this.#last = { ...this.#owner(), id: this.#random.pick(["s1", "s2"]) };
    return this.#last;
  }

  #scope() {
    const { tenantId, appName, userId } = this.#owner();
    const tenant = tenantId === undefined ? {} : { tenantId };
    return this.#random.pick([
      ...[tenant, { ...tenant, appName }, { ...tenant, userId }, { ...tenant, appName, userId }],
      { ...tenant, session: { ...tenant, appName, userId, id: this.#random.pick(["s1", "s2"]) } },
    ]);
  }

  #statuses() {
    const one = this.#random.pick(RUN_STATUSES);
    return this.#random.pick([
      {},
      { statuses: [one] },
      { statuses: [one, this.#random.pick(RUN_STATUSES)] },
      { statuses: ["awaiting_input" as const] },
    ]);
  }

  #range() {
    return {
      ...this.#maybe({ numRecentEvents: this.#random.between(0, 3) }),
      ...this.#maybe({ afterRevision: this.#random.between(0, 3) }),
      ...this.#maybe({ afterTimestamp: NOW + this.#random.between(-1, 1) }),
    };
  }

  #after() {
    return {
      ...this.#maybe({ afterRevision: this.#random.between(0, 4) }),
      ...this.#maybe({ afterTimestamp: NOW + this.#random.between(-1, 1) }),
    };
  }

  #delta() {
    const name = this.#random.pick(["own", "user:shared", "app:shared", "temp:gone"]);
    return { [name]: this.#random.pick<number | null>([this.#random.between(0, 9), null]) };
  }

  #eventId(): string {
    this.#events += 1;
    return `e${this.#events}`;
  }

  #event() {
    const author = this.#random.pick(["user", "agent"]);
    const timestamp = NOW + this.#random.between(-1, 1);
    const actions = createEventActions({ stateDelta: this.#delta() });
    return toEventRecord(
      said(this.#eventId(), { author, timestamp, actions, invocationId: this.#random.pick(["i", "j"]) }),
    );
  }

  #holder(): string {
    return this.#random.pick(["runner 1", "runner 2"]);
  }

  #runId(): string {
    return `run ${this.#random.between(1, Math.max(1, this.#runs))}`;
  }
}

/** A store may take more of the generator's ids than another one. */
function withoutIds(answer: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/\bid-\d+\b/g, "id"));
}

/** Without what each store names for itself. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => name !== "incarnation" && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, shown(member)]));
}
