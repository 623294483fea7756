import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { type ChaosClient, endOf, errorOf, hasEnded } from "#test/chaos/chaos-client.ts";
import { type Observation, textOf } from "#test/chaos/checks/recorder.ts";
import type { Episode } from "#test/chaos/episode.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import { type ChaosStore, isDatabase, RECOVERY_MS } from "#test/chaos/rig/rig-options.ts";
import type { ChaosService } from "#test/chaos/rig/service-place.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";

const CHUNKS = 30;
/** Time until each of a hundred readers has an event, on a busy machine. */
const CROWD_MS = 40_000;
const SLOW_ANSWER = [
  { call: [{ name: "append_again" }, { name: "append_once" }] },
  { say: "answer", chunks: CHUNKS, pauseMs: 60 },
] as const;

/** F1 to F4 and F16: processes that are lost. */
export function processSuite(test: FaultTest): void {
  test("F1 a run whose runner is killed in the middle of its answer is recovered by another one", async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    const until = `${rig.logFile}-f1`;
    const { observation, reading } = await startAnswer(ada, 0, until);
    await untilChunks(observation, random.between(1, CHUNKS - 5));
    const runner = episode.runnerOf(observation.tag);
    await rig.kill("runner", runner);
    writeFileSync(until, "");
    // The session's next message does not wait until the dead process is back.
    const next = ada.runUntilAnswered(observation.session, [{ say: "next" }], { gateway: 1 });
    await reading;
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    expect((await next).status).toBe(200);
    const { runs, events } = await episode.stored(observation.session);
    expect(runs.find(({ runId }) => runId === observation.runId)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(events.filter(({ json }) => json.includes('"text":"answer:'))).toHaveLength(1);
    expect(toolRuns(episode, observation.tag)).toEqual({ append_again: 1, append_once: 1 });
  });

  test("F1b a runner killed while a tool works: an idempotent tool runs again, of another the outcome is unknown", async (episode) => {
    const { rig } = episode;
    const ada = episode.client();
    const session = await ada.createSession();
    const calls = ["append_again", "append_once"].map((name) => ({ name, args: { waitMs: 3000 } }));
    const observation = await ada.background(session, [{ call: calls }, { say: "after the tools" }]);
    const reading = ada.follow(observation, 1);
    await eventually(
      "both tools work",
      () => episode.logOf(observation.tag).filter((line) => line.includes("tool:")).length === 2,
    );
    await rig.kill("runner", episode.runnerOf(observation.tag));
    await reading;
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    expect(toolRuns(episode, observation.tag)).toEqual({ append_again: 2, append_once: 1 });
    const responses = observation.frames.flatMap((frame) =>
      frame.kind === "event"
        ? (frame.event.content?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])
        : [],
    );
    const responseKeys = Object.fromEntries(responses.map(({ name, response }) => [name, Object.keys(response ?? {})]));
    expect(responseKeys).toMatchObject({ append_again: ["ok"], append_once: expect.arrayContaining(["error"]) });
  });

  test("F2 a frozen runner's run is recovered, and its writes are refused when it is resumed", async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    const until = `${rig.logFile}-f2`;
    const { observation, reading } = await startAnswer(ada, 0, until);
    await untilChunks(observation, random.between(1, CHUNKS - 5));
    const runner = episode.runnerOf(observation.tag);
    rig.freeze("runner", runner);
    await eventually(
      "the other runner has the run",
      () => episode.runnerOf(observation.tag) === 1 - runner,
      RECOVERY_MS,
    );
    writeFileSync(until, "");
    await pauseFor(random.between(0, 1500));
    rig.place("runner", runner).thaw();
    await reading;
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    // The late write of the frozen process.
    await pauseFor(1500);
    const { events, runs } = await episode.stored(observation.session);
    expect(events.filter(({ json }) => json.includes('"text":"answer:'))).toHaveLength(1);
    expect(runs.find(({ runId }) => runId === observation.runId)).toMatchObject({ status: "succeeded", attempts: 2 });
  });

  for (const [title, fault] of [
    ["before it is committed", "drop"],
    ["when it is committed and not acknowledged", "half-open"],
    ["at any moment", undefined],
  ] as const) {
    test(`F3${fault ?? ""} a session service killed while it stores an event, ${title}: the event is stored once`, async (episode) => {
      const { rig, random } = episode;
      const ada = episode.client();
      const session = await ada.createSession();
      const steps = Array.from({ length: 5 }, () => ({ call: [{ name: "count" }] }));
      const observation = await ada.background(session, [...steps, { say: "counted" }]);
      const reading = ada.follow(observation);
      const from = random.between(1, 3);
      await eventually("some tools have run", () => (toolRuns(episode, observation.tag)["count"] ?? 0) >= from);
      // On SQLite there is no link behind the service: requests of the runner are then held or dropped before it.
      const edge = isDatabase(rig.options.store) ? "to-database" : "runner-session";
      if (fault !== undefined) rig.disturb(edge, { kind: fault });
      await pauseFor(random.between(50, 300));
      for (const [index] of rig.replicas("session").entries()) await rig.kill("session", index);
      rig.heal(edge);
      await rig.startAll();
      await reading;
      expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
      const { state } = await episode.stored(session);
      // A tool that is not idempotent may not have run again; its call has a response all the same.
      expect(state["count"]).toBeLessThanOrEqual(5);
      expect(state["count"]).toBe((await counted(episode, session)).at(-1));
    });
  }

  test("F3c a message that meets no session service is refused with 503, and nothing of it is stored", async (episode) => {
    const { rig } = episode;
    const ada = episode.client();
    const session = await ada.createSession();
    for (const [index] of rig.replicas("session").entries()) await rig.kill("session", index);
    const refused = await ada.run(session, [{ say: "never" }]);
    expect([refused.status, refused.answer]).toEqual([503, undefined]);
    await rig.startAll();
    expect((await episode.stored(session)).events).toEqual([]);
  });

  test("F4 a hundred readers of a killed gateway continue at the other one, from where they were", async (episode) => {
    const { rig, random } = episode;
    const ada = episode.client();
    // However slow the machine is, no answer is complete before the gateway is killed.
    const until = `${rig.logFile}-f4`;
    const before = countLosses(rig);
    const runs = await Promise.all(Array.from({ length: 10 }, () => startAnswer(ada, 0, until)));
    const others = runs.flatMap(({ observation }) =>
      Array.from({ length: 9 }, () => {
        const reader = ada.readerOf(observation);
        return { observation: reader, reading: ada.follow(reader, 0) };
      }),
    );
    const readers = [...runs, ...others];
    const observations = readers.map(({ observation }) => observation);
    const chunks = random.between(1, 10);
    await Promise.all(observations.map((observation) => untilChunks(observation, chunks, CROWD_MS)));
    await rig.kill("gateway", 0);
    const placed = observations.filter(hasCursor);
    writeFileSync(until, "");
    await Promise.all(readers.map(({ reading }) => reading));
    expect(observations.map(endOf)).toEqual(readers.map(() => "succeeded"));
    expect(placed.filter((observation) => !hasResumed(observation))).toEqual([]);
    // On a slow machine a run may lose its lease, or a reader its connection to Redis: readers without a resync have
    // every chunk.
    const smooth = observations.filter((observation) => !hasResync(observation));
    expect(smooth.map(pieceText)).toEqual(smooth.map(() => wholeText()));
    const given = `what readers were given: ${JSON.stringify(kindsOf(observations))}`;
    if (countLosses(rig) === before) expect(smooth.length, given).toBeGreaterThan(0);
  });

  test("F16 each service is ended and started again under load, and no request fails", async (episode) => {
    const { rig } = episode;
    const done = new AbortController();
    const callers = ["ada", "bob"].map((name) => keepTalking(episode.client(name), done.signal));
    const codes: (number | null)[] = [];
    for (const { service, index } of replicated(rig.options.store)) {
      codes.push(await rig.terminate(service, index));
      await rig.restart(service, index);
    }
    done.abort();
    const talks = await Promise.all(callers);
    expect(codes).toEqual(codes.map(() => 0));
    expect(talks.flat().filter(({ status }) => status !== 200)).toEqual([]);
    expect(talks.map((answers) => answers.length > 2)).toEqual([true, true]);
  });
}

/** Number of readers by the kinds of frames that they got. */
function kindsOf(observations: readonly Observation[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { frames } of observations) {
    const kinds = [...new Set(frames.map(({ kind }) => kind))].join(" ");
    counts[kinds] = (counts[kinds] ?? 0) + 1;
  }
  return counts;
}

function replicated(store: ChaosStore): readonly { readonly service: ChaosService; readonly index: number }[] {
  const of = (service: ChaosService) => [0, 1].map((index) => ({ service, index }));
  // One session service cannot be replaced without a pause, which clients with a retry policy bridge.
  return [
    ...of("runner"),
    ...of("gateway"),
    ...(isDatabase(store) ? of("session") : [{ service: "session" as const, index: 0 }]),
  ];
}

async function keepTalking(client: ChaosClient, signal: AbortSignal): Promise<readonly Observation[]> {
  const session = await client.createSession();
  const answers: Observation[] = [];
  while (!signal.aborted && answers.length < 200) {
    const steps = [{ say: "turn", chunks: 4, pauseMs: 30 }];
    answers.push(await client.runUntilAnswered(session, steps, { gateway: answers.length }));
  }
  return answers;
}

/** A run that is read in the background during the test. Its last chunk waits for the file, if one is named. */
async function startAnswer(client: ChaosClient, gateway = 0, until?: string) {
  const session = await client.createSession();
  const [calls, said] = SLOW_ANSWER;
  const steps = [calls, until === undefined ? said : { ...said, until }];
  const observation = await client.background(session, steps, { gateway });
  return { observation, reading: client.follow(observation, gateway) };
}

async function untilChunks(observation: Observation, count: number, limitMs?: number): Promise<void> {
  const chunks = (): number =>
    observation.frames.filter((frame) => frame.kind === "event" && frame.event.partial === true).length;
  await eventually(
    `${count} chunks`,
    () => chunks() >= count || hasEnded(observation) || hasResync(observation),
    limitMs,
  );
}

/** Whether chunks may be missing. */
function hasResync({ frames }: Observation): boolean {
  return frames.some(({ kind }) => kind === "resync");
}

/** Number of times that Redis was too slow for readers to get every chunk. */
function countLosses(rig: ChaosRig): number {
  const output = rig.places.map((place) => place.output).join("");
  return output.split(/run stream not written|no stream of the run/).length - 1;
}

function hasCursor({ frames }: Observation): boolean {
  return frames.some((frame) => frame.kind === "event" && frame.cursor !== undefined);
}

function hasResumed({ frames }: Observation): boolean {
  return frames.some((frame) => frame.kind === "connect" && frame.after !== undefined);
}

/** The chunks of the newest attempt, all of which a reader without a gap has. */
function pieceText({ frames }: Observation): string {
  const from = frames.findLastIndex(({ kind }) => kind === "attempt") + 1;
  return frames
    .slice(from)
    .map((frame) => (frame.kind === "event" && frame.event.partial === true ? textOf(frame.event) : ""))
    .join("");
}

function wholeText(): string {
  return `answer:${Array.from({ length: CHUNKS - 1 }, (_, index) => ` ${index + 1}`).join("")}`;
}

/** Number of starts of each tool for the message. */
function toolRuns(episode: Episode, tag: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of episode.logOf(tag)) {
    const name = / tool:(\w+) /.exec(line)?.[1];
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function counted(episode: Episode, session: Observation["session"]): Promise<readonly unknown[]> {
  const { events } = await episode.stored(session);
  return events.flatMap(({ json }) => /"stateDelta":\{"count":(\d+)\}/.exec(json)?.[1] ?? []).map(Number);
}
