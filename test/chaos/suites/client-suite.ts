import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { expect } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type ChaosClient, endOf, sessionPath } from "#test/chaos/chaos-client.ts";
import { parse } from "#test/chaos/checks/check-store.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import type { ScriptStep } from "#test/fixtures/chaos-agents/chaos/script.ts";

const MEBIBYTE = 1024 * 1024;

/** F8 to F11 and F22: clients that misbehave. */
export function clientSuite(test: FaultTest): void {
  test("F8 many concurrent messages to one session, at both gateways: each is answered, one turn after another", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession();
    const callers = episode.random.between(10, 20);
    const answers = await Promise.all(
      Array.from({ length: callers }, (_, index) =>
        ada.run(session, [{ call: [{ name: "count" }] }, { say: "turn" }], { gateway: index }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { events, state } = await episode.stored(session);
    const invocations = events.map((event) => parse(event).invocationId);
    const turns = invocations.filter((id, index) => id !== invocations[index - 1]);
    expect([turns.length, new Set(turns).size, state["count"]]).toEqual([callers, callers, callers]);
  });

  test("F8b of concurrent messages with the policy reject, one is accepted and the others are refused as busy", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession();
    const until = `${episode.rig.logFile}-f8b`;
    const steps = [{ say: "turn", chunks: 10, pauseMs: 10, until }];
    let answered = 0;
    const asked = Array.from({ length: 8 }, async (_, index) => {
      const answer = await ada.run(session, steps, { gateway: index, policy: "reject" });
      answered += 1;
      return answer;
    });
    await eventually("the others learn of it", () => answered === asked.length - 1);
    writeFileSync(until, "");
    const answers = await Promise.all(asked);
    const statuses = answers.map(({ status, reason }) => `${status} ${reason ?? ""}`).toSorted();
    expect(statuses).toEqual(["200 ", ...Array.from({ length: 7 }, () => "409 SESSION_BUSY")]);
  });

  test("F8c each message interrupts the one before it: the last is answered", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession();
    const steps = [{ say: "turn", chunks: 100, pauseMs: 100 }];
    const first = await ada.background(session, steps);
    const second = await ada.background(session, steps, { gateway: 1, policy: "interrupt" });
    await eventually("the second run is active", () => episode.logOf(second.tag).length > 0);
    const last = await ada.run(session, [{ say: "last" }], { policy: "interrupt" });
    await Promise.all([ada.follow(first), ada.follow(second)]);
    expect([endOf(first), endOf(second), last.status]).toEqual(["cancelled", "cancelled", 200]);
  });

  test("F9 one request sent many times under one key is one run, and all get its answer", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession();
    const idempotencyKey = `key-${episode.random.between(0, 1e9)}`;
    const steps = [{ call: [{ name: "append_once" }] }, { say: "once", chunks: 3, pauseMs: 50 }];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        ada.background(session, steps, { gateway: index, idempotencyKey, tag: "same" }),
      ),
    );
    await Promise.all(answers.map((answer, index) => ada.follow(answer, index)));
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
    expect(answers.map(endOf)).toEqual(answers.map(() => "succeeded"));
    expect((await episode.stored(session)).runs).toHaveLength(1);
    expect(episode.logOf("same").filter((line) => line.includes(" tool:append_once "))).toHaveLength(1);
  });

  for (const how of ["FIN", "RST"] as const) {
    test(`F10${how} a client that leaves (${how}) ends the model's call when it asked for that, and otherwise does not`, async (episode) => {
      const ada = episode.client();
      const [leaving, staying] = [await ada.createSession(), await ada.createSession()];
      const saying = (chunks: number) => [{ say: "long", chunks, pauseMs: 50 }];
      // So long that it does not end by itself before it is aborted.
      const endless = saying(2000);
      const tag = await leave(episode, ada, { session: leaving, steps: endless, how, onDisconnect: "cancel" });
      await eventually("the model's call is aborted", () =>
        episode.logOf(tag).some((line) => line.includes(" abort ")),
      );
      const steps = saying(60);
      await leave(episode, ada, { session: staying, steps, how, onDisconnect: "continue" });
      const ended = async (session: typeof leaving) => (await episode.stored(session)).runs.map(({ status }) => status);
      await eventually("the run is cancelled", async () => (await ended(leaving)).join() === "cancelled");
      await eventually("the run continues to its end", async () => (await ended(staying)).join() === "succeeded");
    });
  }

  for (const how of ["silent", "half-open"] as const) {
    test(`F10${how} a client that neither reads nor leaves (${how}) is cut off, which ends its run only when it asked for that`, async (episode) => {
      const { rig } = episode;
      const ada = episode.client();
      const gateway = rig.place("gateway", 0);
      const sessions = [await ada.createSession(), await ada.createSession()] as const;
      const steps = [{ say: "bulk", chunks: 600, pauseMs: 8, chunkCharacters: 32 * 1024 }];
      const cutOffs = () => gateway.output.split("its reader took nothing for too long").length - 1;
      const before = cutOffs();
      const clients = (["cancel", "continue"] as const).map((onDisconnect, index) => {
        const session = sessions[index] ?? sessions[0];
        const asked = askForStream(episode, ada, { session, steps, onDisconnect, gateway: 0 });
        // Its machine was lost without closing the connection, or its program does not read.
        asked.socket.pause();
        return asked;
      });
      await eventually("both models are asked", () => clients.every(({ tag }) => episode.logOf(tag).length > 0));
      rig.faults.add(`client stays and reads nothing (${how})`);
      if (how === "half-open") rig.disturb("client-gateway", { kind: "drop" }, 0);
      // Others are served at the same time.
      const beside = await ada.run(await ada.createSession(), [{ say: "beside" }], { gateway: 1 });
      expect(beside.status).toBe(200);
      const [leaver] = clients;
      await eventually(
        "the model's call is aborted",
        () => episode.logOf(leaver?.tag ?? "").some((line) => line.includes(" abort ")),
        10_000,
      );
      const ended = async (session: SessionKey) =>
        (await episode.stored(session)).runs.map(({ status }) => status).join();
      await eventually("the run is cancelled", async () => (await ended(sessions[0])) === "cancelled");
      await eventually(
        "the other run continues to its end",
        async () => (await ended(sessions[1])) === "succeeded",
        30_000,
      );
      expect(cutOffs() - before).toBe(2);
      expect(clients.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
      for (const { socket } of clients) socket.destroy();
    });
  }

  test("F11 a reader that takes nothing is cut off; its run and other readers continue", async (episode) => {
    const { rig } = episode;
    const ada = episode.client();
    const session = await ada.createSession();
    const gateway = rig.place("gateway", 0);
    const before = gateway.footprint()?.residentBytes ?? 0;
    const started = await ada.background(session, [
      { say: "bulk", chunks: 1200, pauseMs: 1, chunkCharacters: 32 * 1024 },
    ]);
    const socket = connect(rig.link("client-gateway", 0).port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(`GET /v1/runs/${started.runId}/stream HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const beside = await ada.stream(await ada.createSession(), [{ say: "beside", chunks: 20, pauseMs: 30 }]);
    expect(beside.frames.filter((frame) => frame.kind === "event")).toHaveLength(21);
    await eventually(
      "the reader is cut off",
      () => gateway.output.includes("its reader took nothing for too long"),
      30_000,
    );
    socket.destroy();
    const status = async () => (await episode.stored(session)).runs.map((run) => run.status).join();
    await eventually("its run ends", async () => (await status()) === "succeeded", 60_000);
    // Its 38 MB are not in the gateway; the limit allows for the garbage of the others.
    expect((gateway.footprint()?.residentBytes ?? 0) - before).toBeLessThan(120 * MEBIBYTE);
  });

  test("F22 a session deleted during a run stays deleted, and the run's reader is notified", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession();
    const until = `${episode.rig.logFile}-f22`;
    const observation = await ada.background(session, [
      { say: "long", chunks: episode.random.between(5, 15), pauseMs: 50, until },
    ]);
    const controller = new AbortController();
    const reading = ada.followOnce(observation, 0, controller.signal);
    await eventually("a chunk", () => observation.frames.some(({ kind }) => kind === "event"));
    expect(await ada.deleteSession(session, 1)).toBe(200);
    writeFileSync(until, "");
    await Promise.race([reading, pauseFor(20_000)]);
    controller.abort();
    expect(observation.frames.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["error"]));
    // A late append would make it anew.
    await pauseFor(2000);
    expect([
      (await ada.get(sessionPath(session))).status,
      (await ada.get(`/v1/runs/${observation.runId}`, 1)).status,
    ]).toEqual([404, 404]);
  });

  test("F22b a list of sessions while others are made has each of the earlier ones once", async (episode) => {
    const ada = episode.client();
    const earlier = await Promise.all(Array.from({ length: 15 }, () => ada.createSession()));
    const making = Promise.all(Array.from({ length: 45 }, () => ada.createSession()));
    for (let look = 0; look < 5; look += 1) {
      const { body } = await ada.get(`/apps/chaos/users/${ada.user}/sessions`, look % 2);
      // The list of sessions.
      const ids = (body as readonly { readonly id: string }[]).map(({ id }) => id);
      expect(earlier.filter(({ id }) => ids.filter((other) => other === id).length !== 1)).toEqual([]);
    }
    await making;
  });
}

interface Leave {
  readonly session: SessionKey;
  readonly steps: readonly ScriptStep[];
  readonly how: "FIN" | "RST";
  readonly onDisconnect: "cancel" | "continue";
}

/** Opens a stream and leaves after some of its chunks. Returns the message's tag. */
async function leave(episode: Episode, client: ChaosClient, { how, ...request }: Leave): Promise<string> {
  const { rig, random } = episode;
  const { socket, tag } = askForStream(episode, client, { ...request, gateway: random.between(0, 1) });
  let heard = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    heard += text;
  });
  const chunks = random.between(1, 20);
  await eventually("some chunks", () => heard.split("\ndata: ").length > chunks);
  rig.faults.add(`client left (${how})`);
  if (how === "FIN") socket.destroy();
  else socket.resetAndDestroy();
  return tag;
}

/** A request on a separate connection. */
function askForStream(
  { rig }: Episode,
  client: ChaosClient,
  { session, steps, onDisconnect, gateway }: Omit<Leave, "how"> & { readonly gateway: number },
) {
  const tag = `${session.id}-leaver`;
  const newMessage = { role: "user", parts: [{ text: JSON.stringify({ tag, log: rig.logFile, steps }) }] };
  const body = JSON.stringify({
    appName: "chaos",
    userId: client.user,
    sessionId: session.id,
    newMessage,
    streaming: true,
    onDisconnect,
  });
  const socket = connect(rig.link("client-gateway", gateway).port, "127.0.0.1");
  socket.on("error", () => {});
  const head = `POST /run_sse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.write(head + body);
  return { socket, tag };
}
