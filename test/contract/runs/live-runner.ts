import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LiveTurn } from "#kit/testing/scripted-connection.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import type { LiveInput, LiveProgress, LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import type { InProcessRunnerService } from "#services/runner/in-process-runner-service.ts";
import { KEY, LEASE_MS, RecoveryWorld } from "#test/helpers/worlds/recovery-world.ts";

/** How a gateway reaches a runner. */
export interface ReachedRunner extends AsyncDisposable {
  readonly runner: LiveRunnerService;
  /** The connection to the runner breaks, as when its process is killed. */
  readonly cut: () => void;
}

/** Messages that a test sends one by one. */
class Client implements AsyncIterable<LiveInput> {
  #n: number;
  readonly #messages: LiveInput[] = [];
  #isOver = false;
  #wake = (): void => {};
  /** The number of the newest message that was read. */
  read = 0;

  constructor(from = 1) {
    this.#n = from - 1;
  }

  send(...requests: readonly LiveInput["request"][]): void {
    for (const request of requests) this.#messages.push({ n: (this.#n += 1), request });
    this.#wake();
  }

  say(...texts: readonly string[]): void {
    this.send(...texts.map((text) => ({ content: userContent(text) })));
  }

  leave(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveInput> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) {
        this.read = next.n;
        yield next;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 10_000 });
const says = (text: string): LiveTurn => [{ content: modelContent(text) }, { turnComplete: true }];
const ECHO = ["one", "two", "three", "four"].map(says);

/** Calls the runner until the call ends; `ended` has the error if there is one. */
function call(runner: LiveRunnerService, client: Client, options: { runId?: string; resumes?: boolean } = {}) {
  const controller = new AbortController();
  const progress: LiveProgress[] = [];
  const { runId = "call", resumes } = options;
  const request = { runId, session: KEY, request: { live: { responseModalities: ["TEXT"] } }, resumes };
  const read = async (): Promise<unknown> => {
    try {
      const reports = runner.runLive({ ...request, inputs: client, signal: controller.signal });
      for await (const report of reports) progress.push(report);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const newest = () => takenOf(progress);
  return { progress, newest, controller, ended: read() };
}

/** The newest message that is reported as not needed again. */
function takenOf(progress: readonly LiveProgress[]): number | undefined {
  return progress
    .flatMap((report) => (report.kind === "worked" && report.taken !== undefined ? [report.taken] : []))
    .at(-1);
}

/** The emitted entries: position, text or kind, and the sequence of stored events. */
function emitted(progress: readonly LiveProgress[]): readonly string[] {
  const entries = progress.flatMap((report) => (report.kind === "worked" ? report.entries : []));
  return entries.map((entry) => {
    if (entry.kind === "resync") return entry.kind;
    const at = `${entry.epoch}.${entry.n}`;
    if (entry.kind === "attempt") return `${at} attempt ${entry.attempt}`;
    if (entry.kind === "end") return `${at} ${entry.status}`;
    const { content, partial } = JSON.parse(entry.json) as Event;
    return `${at} ${content?.parts?.[0]?.text ?? "turn"} ${partial === true ? "…" : `#${entry.sequence}`}`;
  });
}

/** What every `LiveRunnerService` does. */
export function liveRunnerContract(reach: (service: InProcessRunnerService) => Promise<ReachedRunner>): void {
  let world: RecoveryWorld;
  const stack: AsyncDisposable[] = [];

  beforeEach(async () => {
    world = await RecoveryWorld.start((sources) => new InMemorySessionStore(sources));
  });

  afterEach(async () => {
    for (const held of stack.splice(0).reverse()) await held[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  async function start(live: readonly LiveTurn[] | null = ECHO, config: Record<string, string> = {}) {
    const model = new ScriptedModel([], live === null ? {} : { live });
    const agent = () => new LlmAgent({ name: KEY.appName, model });
    const mortal = world.runner({ agent, config });
    const reached = await reach(mortal.service);
    stack.push(reached);
    const die = (): void => {
      mortal.die();
      reached.cut();
    };
    return { ...reached, ...mortal, model, die };
  }

  describe("a live run", () => {
    it("is recorded, talks turn by turn, and ends when the client leaves", async () => {
      const { runner } = await start();
      const [client, followed] = [new Client(), world.read("call")];
      const { progress, ended } = call(runner, client);
      client.say("a");
      await eventually(async () => expect(await world.events()).toContain("app: one"));
      client.say("b");
      await eventually(async () => expect(await world.events()).toContain("app: two"));
      client.leave();
      expect(await ended).toBeUndefined();
      expect(progress[0]).toMatchObject({ kind: "recorded", run: { runId: "call", session: KEY, status: "running" } });
      expect(takenOf(progress)).toBe(2);
      expect(emitted(progress)).toEqual(["1.1 one #2", "1.2 turn #3", "1.3 two #5", "1.4 turn #6", "1.5 succeeded"]);
      expect(await world.events()).toEqual([
        "user: a",
        "app: one",
        "app: nothing",
        "user: b",
        "app: two",
        "app: nothing",
      ]);
      expect(await world.record("call")).toMatchObject({ status: "succeeded", attempts: 1 });
      // The client has its own messages.
      expect(await followed).toEqual(["one #2", "nothing #3", "two #5", "nothing #6", "succeeded"]);
    });

    it("emits chunks to its caller at once, and publishes them for other readers", async () => {
      const { runner, model } = await start([]);
      const [client, followed] = [new Client(), world.read("call")];
      const { progress, ended } = call(runner, client);
      await eventually(() => expect(model.connections).toHaveLength(1));
      const chunk = (text: string) => ({ content: modelContent(text), partial: true });
      for (const text of ["a", "b"]) {
        model.connections[0]?.say(chunk(text));
        await eventually(() => expect(emitted(progress).at(-1)).toContain(`${text} …`));
      }
      client.leave();
      expect(await ended).toBeUndefined();
      expect(emitted(progress).slice(0, 2)).toEqual(["1.1 a …", "1.2 b …"]);
      expect((await followed).slice(0, 2)).toEqual(["a~", "b~"]);
    });

    it("is refused before it is recorded if its model cannot talk", async () => {
      const { runner } = await start(null);
      const { progress, ended } = call(runner, new Client());
      expect(await ended).toMatchObject({ reason: "LIVE_NOT_SUPPORTED" });
      expect([progress, await world.record("call")]).toEqual([[], undefined]);
    });

    it("fails with the reason of a message that no client may send", async () => {
      const { runner } = await start();
      const client = new Client();
      const { ended } = call(runner, client);
      const { content } = functionCallResponse("pay");
      client.send({ content: { ...content, role: "user" } });
      expect(await ended).toMatchObject({ reason: "INVALID_MESSAGE", details: { field: "content.parts" } });
      expect(await world.record("call")).toMatchObject({ status: "failed", reason: "INVALID_MESSAGE" });
    });

    it("waits for its session's turn with its messages", async () => {
      const { runner } = await start();
      const [first, second] = [new Client(), new Client()];
      const calls = [call(runner, first), call(runner, second, { runId: "next" })];
      second.say("later");
      await eventually(() => expect(calls[1]?.progress[0]).toMatchObject({ run: { status: "pending" } }));
      first.leave();
      await eventually(async () => expect(await world.events()).toEqual(["user: later", "app: one", "app: nothing"]));
      second.leave();
      expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual([undefined, undefined]);
    });

    it("reads no further messages while the model does not take them", async () => {
      const { runner, model } = await start();
      vi.spyOn(model, "connect").mockImplementation(() => new Promise(() => {}));
      const client = new Client();
      const { controller, ended } = call(runner, client);
      const chunk = { blob: { mimeType: "audio/pcm", data: "A".repeat(400) } };
      client.send(...Array.from({ length: 20_000 }, () => chunk));
      await eventually(() => expect(client.read).toBeGreaterThan(900));
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(client.read).toBeLessThan(10_000);
      controller.abort();
      expect(await ended).toBeUndefined();
    });
  });

  describe("a live run whose runner is lost", () => {
    it("goes on at the next runner, without a gap or a repetition", async () => {
      const [first, second] = [await start(), await start()];
      const client = new Client();
      const lost = call(first.runner, client);
      client.say("a");
      await eventually(() => expect(lost.newest()).toBe(1));
      await eventually(async () => expect(await world.events()).toHaveLength(3));
      first.die();
      const next = new Client(1);
      // The report that the first message was taken may have been lost.
      next.say("a", "b");
      const again = call(second.runner, next, { resumes: true });
      world.clock.advance(LEASE_MS + 1);
      await eventually(async () => expect(await world.events()).toHaveLength(7));
      next.leave();
      expect(await again.ended).toBeUndefined();
      expect(again.progress[0]).toMatchObject({ kind: "recorded", run: { attempts: 2 } });
      // What the lost runner has emitted is read from the store.
      const [first1, attempt, ...others] = emitted(again.progress);
      expect([first1, attempt, others.at(-1)]).toEqual([
        "resync",
        "2.1 attempt 2",
        expect.stringMatching(/^2\.\d succeeded$/),
      ]);
      expect(await world.events()).toEqual([
        "user: a",
        "app: one",
        "app: nothing",
        // The new session got the conversation as text.
        "app: nothing",
        "user: b",
        "app: one",
        "app: nothing",
      ]);
      expect(await world.record("call")).toMatchObject({ status: "succeeded", attempts: 2 });
    });

    it("continues the session at the provider with its handle, and gives it what came later", async () => {
      const [first, second] = [await start(), await start()];
      const owner = { appName: KEY.appName, userId: KEY.userId };
      const name = async () => `adk_live_${(await world.store.get("call"))?.invocationId}`;
      const lost = call(first.runner, new Client());
      await eventually(() => expect(first.model.connections).toHaveLength(1));
      const [connection] = first.model.connections;
      if (connection === undefined) throw new Error("not connected");
      connection.unsettled = 0;
      const client = new Client();
      const again = call(first.runner, client, { resumes: true });
      client.say("a");
      await eventually(async () => expect(await world.events()).toHaveLength(3));
      connection.say({ liveSessionResumptionUpdate: { newHandle: "handle", resumable: true } });
      await eventually(async () => expect(await world.credentials.loadCredential(owner, await name())).toBeDefined());
      client.say("b");
      await eventually(async () => expect(await world.events()).toHaveLength(6));
      client.send({ blob: { mimeType: "audio/pcm", data: "AAAA" } });
      connection.unsettled = 2;
      await eventually(() => expect(connection.sent.at(-1)?.kind).toBe("realtime"));
      first.die();
      await Promise.all([lost.ended, again.controller.abort()]);
      // The message has a stored event, and the sound has none: its number was not reported.
      expect(again.newest()).toBe(2);
      const next = new Client(3);
      next.send({ blob: { mimeType: "audio/pcm", data: "AAAA" } });
      const continued = call(second.runner, next, { resumes: true });
      world.clock.advance(LEASE_MS + 1);
      await eventually(() => expect(second.model.connections[0]?.sent).toHaveLength(2));
      expect(second.model.connections[0]).toMatchObject({
        resumed: true,
        sent: [
          { kind: "history", history: [userContent("b"), modelContent("two")] },
          { kind: "realtime", input: { blob: { data: "AAAA" } } },
        ],
      });
      expect(await world.events()).toHaveLength(6);
      next.leave();
      expect(await continued.ended).toBeUndefined();
      expect(await world.credentials.loadCredential(owner, await name())).toBeUndefined();
    });

    it("is handed over by a runner that shuts down, which reports that the caller should call again", async () => {
      const [first, second] = [await start(), await start()];
      const client = new Client();
      const handed = call(first.runner, client);
      client.say("a");
      await eventually(async () => expect(await world.events()).toHaveLength(3));
      first.service.drain();
      first.service.handOverLiveRuns();
      expect(await handed.ended).toMatchObject({ unavailable: true });
      const next = new Client(2);
      next.say("b");
      const again = call(second.runner, next, { resumes: true });
      await eventually(async () => expect(await world.events()).toHaveLength(7));
      next.leave();
      expect(await again.ended).toBeUndefined();
      expect(await world.record("call")).toMatchObject({ status: "succeeded", attempts: 2, handovers: 1 });
    });

    it("is ended after some scans if its client does not come", async () => {
      const [first, second] = [await start(), await start()];
      const client = new Client();
      const lost = call(first.runner, client);
      await eventually(() => expect(lost.progress).toHaveLength(1));
      first.die();
      world.clock.advance(2 * LEASE_MS);
      for (let scan = 0; scan < 7; scan += 1) expect(await second.reaper.look()).toBe(0);
      expect(await world.record("call")).toMatchObject({ status: "running" });
      await second.reaper.look();
      expect(await world.record("call")).toMatchObject({ status: "interrupted", reason: "RUN_INTERRUPTED" });
    });
  });

  describe("a client whose call breaks", () => {
    it("continues the same execution with its next call", async () => {
      const { runner } = await start();
      const client = new Client();
      const broken = call(runner, client);
      client.say("a");
      await eventually(() => expect(broken.newest()).toBe(1));
      broken.controller.abort();
      expect(await broken.ended).toBeUndefined();
      const next = new Client(1);
      next.say("a", "b");
      const again = call(runner, next, { resumes: true });
      await eventually(async () => expect(await world.events()).toHaveLength(6));
      next.leave();
      expect(await again.ended).toBeUndefined();
      expect(emitted(again.progress)).toEqual(["resync", "1.3 two #5", "1.4 turn #6", "1.5 succeeded"]);
      expect(await world.events()).toEqual([
        "user: a",
        "app: one",
        "app: nothing",
        "user: b",
        "app: two",
        "app: nothing",
      ]);
      expect(await world.record("call")).toMatchObject({ status: "succeeded", attempts: 1 });
    });

    it("may call another runner: the run is handed over to it", async () => {
      const [first, second] = [await start(), await start()];
      const client = new Client();
      const broken = call(first.runner, client);
      client.say("a");
      await eventually(async () => expect(await world.events()).toHaveLength(3));
      broken.controller.abort();
      await broken.ended;
      const next = new Client(2);
      next.say("b");
      const again = call(second.runner, next, { resumes: true });
      await eventually(() => expect(second.model.connections).toHaveLength(1));
      await eventually(async () => expect(await world.events()).toHaveLength(7));
      next.leave();
      expect(await again.ended).toBeUndefined();
      expect(await world.record("call")).toMatchObject({ status: "succeeded", attempts: 2, handovers: 1 });
    });

    it("is waited for, and its run is interrupted if it does not come", async () => {
      const { runner } = await start(ECHO, { LEASE_MS: "300" });
      const { progress, controller, ended } = call(runner, new Client());
      await eventually(() => expect(progress).toHaveLength(1));
      controller.abort();
      expect(await ended).toBeUndefined();
      await eventually(async () => expect(await world.record("call")).toMatchObject({ status: "interrupted" }));
    });

    it("does not continue a run of another session", async () => {
      const { runner } = await start();
      const { progress } = call(runner, new Client());
      await eventually(() => expect(progress).toHaveLength(1));
      await world.store.createSession({ ...KEY, id: "other" });
      const session = { ...KEY, id: "other" };
      const { signal } = new AbortController();
      const other = runner.runLive({
        runId: "call",
        session,
        request: { live: {} },
        resumes: true,
        inputs: new Client(),
        signal,
      });
      await expect(Array.fromAsync(other)).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
    });
  });
}
