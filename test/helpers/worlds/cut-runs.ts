import { createApp, type ResumabilityConfig } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { type Content, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { StoredEvent } from "#kit/events/event-record.ts";
import { Runner } from "#kit/runs/runner.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  FinishRunRequest,
  FinishRunResult,
  RunJournal,
} from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { Session } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

/** Where a runner's process is killed: just before or just after its n-th write to the journal (from 1) is stored. */
export interface Cut {
  readonly write: number;
  readonly when: "before" | "after";
}

/** One session whose runs are cut off and recovered, each time by a runner that has only the store's data. */
export class CutWorld {
  readonly store: InMemorySessionStore;
  readonly #clock = new FixedClock();
  readonly #ids = new SequentialIds();
  readonly #createAgent: () => BaseAgent;
  readonly #settings: { readonly plugins: readonly Plugin[]; readonly resumability?: ResumabilityConfig };
  #runs = 0;

  /** Creates the agent for each runner: nothing in memory survives a cut. */
  constructor(createAgent: () => BaseAgent, plugins: readonly Plugin[] = [], resumability?: ResumabilityConfig) {
    this.#createAgent = createAgent;
    this.#settings = { plugins, ...(resumability !== undefined && { resumability }) };
    this.store = new InMemorySessionStore({ clock: this.#clock, ids: this.#ids });
  }

  /**
   * Sends one message and waits until its run has ended; each attempt but the last is killed at its cut. Returns the number
   * of writes of the last one.
   */
  async run(message: string | Content, cuts: readonly Cut[] = []): Promise<number> {
    if ((await this.store.getSession(KEY)) === undefined) await this.store.createSession(KEY);
    this.#runs += 1;
    const runId = `run-${this.#runs}`;
    const newMessage = typeof message === "string" ? userContent(message) : message;
    for (let attempt = 0; ; attempt += 1) {
      const journal = new DyingJournal(this.store, cuts[attempt]);
      const runner = new Runner({
        app: createApp({ ...this.#settings, name: KEY.appName, rootAgent: this.#createAgent() }),
        sessionService: this.store,
        journal: journal.asJournal(),
        clock: this.#clock,
        ids: this.#ids,
        holder: "same",
      });
      const begun = await runner.beginRun({ session: KEY, request: { newMessage }, runId });
      if (begun.kind !== "started") return 0;
      for await (const _ of runner.executeRun(begun.run));
      if (!journal.isDead) return journal.writes;
    }
  }

  async session(): Promise<Session> {
    const session = await this.store.getSession(KEY);
    if (session === undefined) throw new Error("the session is missing");
    return session;
  }

  async events(): Promise<readonly Event[]> {
    return (await this.session()).events;
  }

  async record(): Promise<RunRecord | undefined> {
    return this.store.get(`run-${this.#runs}`);
  }
}

class DyingJournal {
  readonly #store: RunJournal;
  readonly #cut: Cut | undefined;
  writes = 0;
  isDead = false;

  constructor(store: RunJournal, cut: Cut | undefined) {
    this.#store = store;
    this.#cut = cut;
  }

  asJournal(): RunJournal {
    return {
      begin: (request) => this.#store.begin(request),
      append: (request) => this.#append(request),
      finish: (request) => this.#finish(request),
      renew: (lease, leaseMs) => this.#alive(() => this.#store.renew(lease, leaseMs)),
      release: (lease) => this.#alive(() => this.#store.release(lease)),
      cancel: (runId) => this.#alive(() => this.#store.cancel(runId)),
      get: (runId) => this.#alive(() => this.#store.get(runId)),
      list: (request) => this.#alive(() => this.#store.list(request)),
      getHeads: (sessions) => this.#alive(() => this.#store.getHeads(sessions)),
      listAbandoned: (request) => this.#alive(() => this.#store.listAbandoned(request)),
    };
  }

  /**
   * Events reach the store one by one, because a run has to be recovered from after any of them, whatever shares a
   * commit.
   */
  async #append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    let { afterRevision, lease } = request;
    let result: AppendEventsResult | undefined;
    const stored: StoredEvent[] = [];
    for (const event of request.events) {
      const one = { ...request, afterRevision, lease, events: [event] };
      result = await this.#write(() => this.#store.append(one));
      stored.push(...result.stored);
      ({ lease, revision: afterRevision } = result);
    }
    if (result === undefined) throw new Error("nothing to append");
    return { ...result, stored };
  }

  async #finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const { afterRevision, events, lease } = request;
    if (events.length === 0) return this.#write(() => this.#store.finish(request));
    const appended = await this.#append({ lease, leaseMs: 10_000, afterRevision, events });
    const rest = { ...request, lease: appended.lease, afterRevision: appended.revision, events: [] };
    const finished = await this.#write(() => this.#store.finish(rest));
    return { ...finished, stored: appended.stored };
  }

  async #write<Result>(write: () => Promise<Result>): Promise<Result> {
    this.writes += 1;
    if (this.writes !== this.#cut?.write) return this.#alive(write);
    if (this.#cut.when === "after") await this.#alive(write);
    this.isDead = true;
    throw new Error("the process died");
  }

  async #alive<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.isDead) throw new Error("the process died");
    return call();
  }
}
