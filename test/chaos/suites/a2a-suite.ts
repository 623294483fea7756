import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { endOf, errorOf } from "#test/chaos/chaos-client.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { RemotePeer } from "#test/chaos/rig/remote-peer.ts";
import { eventually } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import { type ReceivedPush, startPushReceiver } from "#test/helpers/a2a/push-receiver.ts";

const CHUNKS = 30;
/** How many runners are killed under a task, one after another. */
const KILLS = Number(process.env["CHAOS_KILLS"] ?? 3);
const HEADERS = { "content-type": "application/json", "a2a-version": "1.0" };

/** F25, F26 and F29: agents of other servers, as callers and as the ones that are called. */
export function a2aSuite(test: FaultTest): void {
  const title =
    "F25 a task whose runner is killed: its sender and a subscriber at the other gateway miss nothing, and get nothing twice";
  const body = async (episode: Episode) => {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await killRunnerOfTask(episode, kill);
      await episode.rig.restore();
    }
  };
  test(title, body, 180_000 + (KILLS - 1) * 30_000);

  test("F26 a runner killed while a remote agent answers: another one subscribes to the task, and asks nothing twice", async (episode) => {
    const { rig } = episode;
    const { peer } = rig;
    const ada = episode.client();
    const observation = await ada.background(await ada.createSession("remote"), [{ say: "go" }]);
    const reading = ada.follow(observation, 1);
    const chunks = () => observation.frames.filter((frame) => frame.kind === "event" && frame.event.partial === true);
    await eventually("the remote has answered in part", () => chunks().length >= 3);
    const first = rig.replicas("runner").findIndex(({ pid }) => pid === pidsOf(rig).at(-1));
    const killed = rig.place("runner", first).pid;
    await rig.kill("runner", first);
    await eventually("another runner follows the task", () =>
      peer.requests.some(
        ({ method, headers }) => method === "SubscribeToTask" && headers["x-runner-pid"] !== `${killed}`,
      ),
    );
    peer.goOn();
    await reading;
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    const sent = peer.requests.filter(({ method }) => method.startsWith("Send"));
    expect(sent).toHaveLength(1);
    const { events, runs } = await episode.stored(observation.session);
    expect(runs.map(({ status }) => status)).toEqual(["succeeded"]);
    expect(runs[0]?.attempts).toBeGreaterThan(1);
    expect(events.filter(({ json }) => json.includes(`"text":"${RemotePeer.ANSWER}"`))).toHaveLength(1);
  });

  test("F29 a gateway killed while it notifies a receiver that fails three times in ten: each update arrives, in its order", async (episode) => {
    const { rig, random } = episode;
    const until = `${rig.logFile}-f29`;
    const tag = `f29-${random.between(1, 1_000_000)}`;
    const calls = Array.from({ length: 6 }, () => ({ call: [{ name: "count" }] }));
    const steps = [...calls, { say: "answer", chunks: 2, until }];
    const text = JSON.stringify({ tag, log: rig.logFile, steps });
    const message = { messageId: tag, contextId: tag, role: "ROLE_USER", parts: [{ text }] };
    await using receiver = await startPushReceiver((answer, _, count) =>
      answer.writeHead(FAILING.has(count % 10) ? 503 : 200, { "retry-after": "0" }).end(),
    );
    const configuration = { returnImmediately: true, taskPushNotificationConfig: { id: tag, url: receiver.url } };
    const init = { method: "POST", headers: HEADERS, body: JSON.stringify({ message, configuration }) };
    const { task } = (await (await fetch(`${rig.gatewayUrl(0)}/a2a/chaos/message:send`, init)).json()) as JsonObject;
    await eventually("some updates have arrived", () => receiver.taken.length >= random.between(1, 6));
    await rig.kill("gateway", 0);
    const before = receiver.calls.length;
    writeFileSync(until, "");
    await eventually("the end has arrived", () => receiver.taken.some(isCompleted), TAKEN_OVER_MS);
    expect(receiver.calls.length).toBeGreaterThan(before);
    const { events } = await episode.stored({ appName: "chaos", userId: `A2A_USER_${tag}`, id: tag });
    const sent = events.filter(({ author }) => author !== "user").map(({ id }) => id);
    const arrived = receiver.taken.map(eventOf).filter((id) => id !== undefined);
    expect([...new Set(arrived)]).toEqual(sent);
    // The lost gateway had not stored that its last update arrived.
    expect(arrived.length).toBeLessThanOrEqual(sent.length + 1);
    const taskId = isJsonObject(task) ? String(task["id"]) : "";
    const config = `${rig.gatewayUrl(1)}/a2a/chaos/tasks/${taskId}/pushNotificationConfigs/${tag}`;
    expect((await fetch(config, { headers: HEADERS })).status).toBe(200);
  });

  test("F27 a runner killed before it knows the task of the message that it sent: another one finds the task, and asks nothing twice", async (episode) => {
    const { rig } = episode;
    const { peer } = rig;
    const before = peer.requests.length;
    const release = peer.hold();
    peer.goOn();
    const ada = episode.client();
    const observation = await ada.background(await ada.createSession("remote"), [{ say: "go" }]);
    const reading = ada.follow(observation, 1);
    const sends = () => peer.requests.slice(before).filter(({ method }) => method.startsWith("Send"));
    await eventually("the remote has the message", () => sends().length > 0);
    const killed = rig.replicas("runner").findIndex(({ pid }) => pid === pidsOf(rig).at(-1));
    await rig.kill("runner", killed);
    release();
    await reading;
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    expect(peer.requests.slice(before).map(({ method }) => method)).toContain("ListTasks");
    expect(sends()).toHaveLength(1);
    const { events, runs } = await episode.stored(observation.session);
    expect(runs).toMatchObject([{ status: "succeeded" }]);
    expect(events.filter(({ json }) => json.includes(`"text":"${RemotePeer.ANSWER}"`))).toHaveLength(1);
  });
}

/** How a runner is seen by the remote agent. */
function pidsOf({ peer }: Episode["rig"]): readonly number[] {
  return peer.requests.map(({ headers }) => Number(headers["x-runner-pid"]));
}

/** Of each receiver's ten calls three fail. */
const FAILING: ReadonlySet<number> = new Set([1, 4, 8]);
/** The lease of a lost gateway's deliveries, and two looks of another one. */
const TAKEN_OVER_MS = 60_000;

/** Kills the runner of a task with two readers, which then read the answer of another runner. */
async function killRunnerOfTask(episode: Episode, kill: number): Promise<void> {
  const { rig, random } = episode;
  const until = `${rig.logFile}-f25-${kill}`;
  const tag = `f25-${kill}-${random.between(1, 1_000_000)}`;
  const [before, after] = [random.between(1, CHUNKS / 2), random.between(1, CHUNKS / 4)];
  const steps = [{ say: "answer", chunks: CHUNKS, pauseMs: 60, until }];
  const text = JSON.stringify({ tag, log: rig.logFile, steps });
  const message = { messageId: tag, contextId: tag, role: "ROLE_USER", parts: [{ text }] };
  const init = { method: "POST", headers: HEADERS, body: JSON.stringify({ message }) };
  const sender = new TaskReader(await fetch(`${rig.gatewayUrl(0)}/a2a/chaos/message:stream`, init));
  await eventually("the sender has chunks", () => sender.chunks >= before);
  const url = `${rig.gatewayUrl(1)}/a2a/chaos/tasks/${sender.taskId}:subscribe`;
  const subscriber = new TaskReader(await fetch(url, { headers: HEADERS }));
  await eventually("the subscriber has chunks", () => subscriber.chunks >= after);
  await rig.kill("runner", episode.runnerOf(tag));
  writeFileSync(until, "");
  await Promise.all([sender.reading, subscriber.reading]);
  const whole = `answer:${Array.from({ length: CHUNKS - 1 }, (_, index) => ` ${index + 1}`).join("")}`;
  for (const reader of [sender, subscriber]) {
    expect(reader.states.at(-1)).toBe("TASK_STATE_COMPLETED");
    expect(reader.states.filter((state) => state === "TASK_STATE_COMPLETED")).toHaveLength(1);
    expect([...reader.artifacts.values()]).toEqual([whole]);
    expect(reader.complete).toEqual([whole]);
    expect(new Set(reader.positions).size).toBe(reader.positions.length);
    expect(reader.positions.toSorted(byPosition)).toEqual(reader.positions);
  }
  const found = await fetch(`${rig.gatewayUrl(1)}/a2a/chaos/tasks/${sender.taskId}`, { headers: HEADERS });
  expect(await found.json()).toMatchObject({ artifacts: [{ parts: [{ text: whole }] }] });
  const { runs } = await episode.stored({ appName: "chaos", userId: `A2A_USER_${tag}`, id: tag });
  expect(runs.map(({ status }) => status)).toEqual(["succeeded"]);
  // A runner that gets no processor for the time of a lease loses the run too, which is one attempt more.
  expect(runs[0]?.attempts).toBeGreaterThan(1);
}

/** Reads the stream of a task, as a client that knows only the protocol. */
class TaskReader {
  readonly reading: Promise<void>;
  taskId = "";
  readonly states: unknown[] = [];
  /** The text of each artifact, of all its updates. */
  readonly artifacts = new Map<unknown, string>();
  /** The texts of the updates that replace an artifact's chunks. */
  readonly complete: string[] = [];
  readonly positions: string[] = [];
  chunks = 0;

  constructor(response: Response) {
    this.reading = this.#read(response);
  }

  async #read({ body }: Response): Promise<void> {
    let text = "";
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        this.#take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  }

  #take(frame: string): void {
    const [, position] = /^id: (.*)$/m.exec(frame) ?? [];
    const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
    if (data === undefined) return;
    if (position !== undefined) this.positions.push(position);
    const { task, statusUpdate, artifactUpdate } = JSON.parse(data) as JsonObject;
    if (isJsonObject(task)) {
      this.taskId = String(task["id"]);
      this.states.push(stateOf(task));
    }
    if (isJsonObject(statusUpdate)) this.states.push(stateOf(statusUpdate));
    if (!isJsonObject(artifactUpdate)) return;
    // The server under test writes the form of the protocol.
    const { artifact, append, lastChunk } = artifactUpdate as unknown as {
      readonly artifact: { readonly artifactId: string; readonly parts: readonly { readonly text: string }[] };
      readonly append?: boolean;
      readonly lastChunk?: boolean;
    };
    const said = artifact.parts.map((part) => part.text).join("");
    const before = append === true ? (this.artifacts.get(artifact.artifactId) ?? "") : "";
    this.artifacts.set(artifact.artifactId, before + said);
    if (lastChunk === true) this.complete.push(said);
    else this.chunks += 1;
  }
}

function isCompleted({ body: { statusUpdate } }: ReceivedPush): boolean {
  return isJsonObject(statusUpdate) && stateOf(statusUpdate) === "TASK_STATE_COMPLETED";
}

/** The event that an update is of; undefined for a status without one. */
function eventOf({ body: { statusUpdate, artifactUpdate } }: ReceivedPush): unknown {
  const update = statusUpdate ?? artifactUpdate;
  const metadata = isJsonObject(update) ? update["metadata"] : undefined;
  return isJsonObject(metadata) ? metadata["adk_event_id"] : undefined;
}

function stateOf({ status }: JsonObject): unknown {
  return isJsonObject(status) ? status["state"] : undefined;
}

/** Positions are an epoch and a number in it, or the epoch's end. */
function byPosition(one: string, other: string): number {
  const [[epoch = 0, n = 0], [otherEpoch = 0, otherN = 0]] = [one, other].map((position) =>
    position.split(".").map((part) => (part === "end" ? Number.POSITIVE_INFINITY : Number(part))),
  ) as [number[], number[]];
  return epoch === otherEpoch ? n - otherN : epoch - otherEpoch;
}
