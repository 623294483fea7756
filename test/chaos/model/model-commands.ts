import { isDeepStrictEqual } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AppendEventsRequest, AppendEventsResult, RunJournal } from "#kit/sessions/run-journal.ts";
import type { Lease } from "#kit/sessions/run-record.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { FixedClock } from "#kit/testing/fixed-clock.ts";
import { checkSequence, checkState } from "#test/chaos/checks/check-store.ts";
import { beginRequest, LEASE_MS, OWNER, record } from "#test/contract/sessions/session-world.ts";
import { type AsyncCommand, fc } from "#test/helpers/random/seeded-check.ts";
import type { ModelRun, SessionModel } from "./session-model.ts";

/** The store under test, and the leases of the runners. */
export interface ModelWorld {
  readonly store: SessionService & RunJournal;
  readonly clock: FixedClock;
  /**
   * Every lease that a run was given, oldest first: the old ones are those of runners that were lost and still write.
   */
  readonly leases: Map<string, Lease[]>;
  events: number;
}

type Command = AsyncCommand<SessionModel, ModelWorld>;

const SESSIONS = ["one", "two"];

/** The operations, which may happen in any order. */
export function modelCommands() {
  const session = fc.constantFrom(...SESSIONS);
  const pick = fc.nat({ max: 7 });
  const lost = fc.constantFrom("none", "none", "request", "answer") satisfies fc.Arbitrary<LostLink>;
  return fc.commands(
    [
      session.map((id) =>
        command(`create ${id}`, (model, world) =>
          expectOutcome(model.create(id), () => world.store.createSession(key(id))),
        ),
      ),
      fc
        .tuple(session, fc.nat({ max: 9 }))
        .filter(([, chance]) => chance === 0)
        .map(([id]) =>
          command(`delete ${id}`, (model, world) =>
            expectOutcome(model.delete(id), () => world.store.deleteSession(key(id))),
          ),
        ),
      session.map((id) => command(`begin on ${id}`, (model, world) => begin(model, world, id))),
      fc
        .tuple(pick, lost)
        .map(([run, link]) =>
          onRun(`append by ${run}, ${link} lost`, run, (model, world, found) =>
            append(world, { model, run: found, age: 0, link }),
          ),
        ),
      fc
        .tuple(pick, fc.nat({ max: 2 }))
        .map(([run, age]) =>
          onRun(`append by ${run} under lease -${age}`, run, (model, world, found) =>
            append(world, { model, run: found, age, link: "none" }),
          ),
        ),
      pick.map((run) => onRun(`another runner wants ${run}`, run, takeOver)),
      // Killed: nothing renews the lease until it expires.
      fc.constantFrom(1, LEASE_MS, 2 * LEASE_MS).map((ms) =>
        command(`kill, ${ms} ms pass`, async (model, world) => {
          model.now += ms;
          world.clock.advance(ms);
        }),
      ),
      pick.map((run) => onRun(`finish ${run}`, run, finish)),
    ],
    { maxCommands: 40 },
  );
}

type LostLink = "none" | "request" | "answer";

function key(id: string) {
  return { ...OWNER, id };
}

function command(name: string, run: (model: SessionModel, world: ModelWorld) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, world) => {
      await run(model, world);
      await compare(model, world);
    },
    toString: () => name,
  };
}

function onRun(
  name: string,
  index: number,
  run: (model: SessionModel, world: ModelWorld, found: ModelRun) => Promise<void>,
): Command {
  const inner = command(name, async (model, world) => {
    const found = model.runs.at(-1 - (index % model.runs.length));
    if (found !== undefined) await run(model, world, found);
  });
  return { ...inner, check: (model) => model.runs.length > 0 };
}

async function begin(model: SessionModel, world: ModelWorld, id: string): Promise<void> {
  const runId = `run-${model.runs.length + world.events}-${model.now}-${world.leases.size}`;
  await expectOutcome(model.begin(runId, id), async () => {
    const request = beginRequest(runId, { session: key(id), policy: "reject", holder: "runner 1" });
    const begun = await world.store.begin(request);
    if (begun.kind === "started") world.leases.set(runId, [begun.lease]);
  });
}

/** The lease may be an old one; a lost request is sent again, and so is one whose answer was lost. */
async function append(
  world: ModelWorld,
  {
    model,
    run,
    age,
    link,
  }: { readonly model: SessionModel; readonly run: ModelRun; readonly age: number; readonly link: LostLink },
): Promise<void> {
  const lease = world.leases.get(run.runId)?.at(-1 - age);
  if (lease === undefined) return;
  world.events += 1;
  const id = `event-${world.events}`;
  const count = (model.sessions.get(run.sessionId)?.count ?? 0) + 1;
  const request: AppendEventsRequest = {
    lease,
    leaseMs: LEASE_MS,
    afterRevision: 0,
    events: [record(id, { count })],
  };
  if (link === "request") return;
  const expected = model.append(run, lease.epoch, id);
  let first: AppendEventsResult | undefined;
  await expectOutcome(expected, async () => {
    first = await world.store.append(request);
  });
  if (link === "none" || first === undefined) return;
  const again = await world.store.append(request);
  if (!isDeepStrictEqual(again.stored, first.stored))
    throw new Error("A repeat was not answered as the first request.");
}

async function takeOver(model: SessionModel, world: ModelWorld, run: ModelRun): Promise<void> {
  // Recorded before the model counts the attempt: a run that is held already would get its lease again.
  const holder = `runner ${run.attempts + 1}`;
  const expected = model.takeOver(run);
  if (expected === "SESSION_NOT_FOUND") return;
  const begun = await world.store.begin(beginRequest(run.runId, { session: key(run.sessionId), holder }));
  const found = begun.kind === "started" ? "taken" : "refused";
  if ((expected === "taken") !== (found === "taken"))
    throw new Error(`A takeover was ${found}, and had to be ${expected}.`);
  if (begun.kind === "started") world.leases.get(run.runId)?.push(begun.lease);
}

async function finish(model: SessionModel, world: ModelWorld, run: ModelRun): Promise<void> {
  const lease = world.leases.get(run.runId)?.at(-1);
  // A repeated finish returns the record, which the contract suite tests.
  if (lease === undefined || (!run.isActive && !run.isGone)) return;
  await expectOutcome(model.finish(run, lease.epoch), () =>
    world.store.finish({ lease, afterRevision: 0, events: [], status: "succeeded" }),
  );
}

async function expectOutcome(expected: string, call: () => Promise<unknown>): Promise<void> {
  const outcome = await call().then(
    () => "ok",
    (error: unknown) => {
      if (error instanceof PlatformError) return error.reason;
      throw error;
    },
  );
  if (outcome !== expected) throw new Error(`The store answered ${outcome}, and had to answer ${expected}.`);
}

/** I1, I2 and I4, after each step. */
async function compare(model: SessionModel, { store }: ModelWorld): Promise<void> {
  for (const id of SESSIONS) {
    const expected = model.sessions.get(id);
    const session = await store.getSession(key(id), { numRecentEvents: 0 });
    if (expected === undefined || session === undefined) {
      if (expected !== session) throw new Error(`Session ${id} is ${session === undefined ? "gone" : "there"}.`);
      continue;
    }
    const { events } = await store.listEventRecords(key(id));
    const ids = events.map((event) => event.id);
    if (!isDeepStrictEqual(ids, expected.eventIds))
      throw new Error(`I1 ${ids.join()} is stored, not ${expected.eventIds.join()}`);
    const problems = [...checkSequence({ events }), ...checkState({ events, state: session.state })];
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
}
