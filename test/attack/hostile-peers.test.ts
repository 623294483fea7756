import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { AttackedServer } from "./attacked-server.ts";
import { MAX_HEALTH_MS, MAX_RSS_MIB, watched } from "./health-watch.ts";
import { HOSTILE_APPS, type HostileApp, writeHostileApps } from "./hostile-apps.ts";
import { type HostileKind, HostilePeer } from "./hostile-peer.ts";

/** A sixth of the time of the other attacks. */
const SECONDS = Math.ceil(Number(process.env["ATTACK_SECONDS"] || 120) / 6);
const CONCURRENCY = 6;
/** For one answer; decoding in quadratic time takes ten times as long. */
const MAX_CPU_SECONDS = 8;
const MAX_SESSION_BYTES = 10 * 1024 * 1024;

const random = new SeededRandom(TEST_SEED);
let peer: HostilePeer;
/** Takes the server's telemetry, and its notifications of tasks. */
let receiver: HostilePeer;
let server: AttackedServer;

beforeAll(async () => {
  peer = await HostilePeer.start(random.fork("peer"));
  receiver = await HostilePeer.start(random.fork("receiver"));
  server = await AttackedServer.start({
    NODE_OPTIONS: "--max-old-space-size=512",
    RUN_TIMEOUT_MS: "20000",
    OUTBOUND_ALLOWED_HOSTS: "127.0.0.1",
    ...{ OPENAI_BASE_URL: `${peer.url}/v1`, OPENAI_API_KEY: "k", ANTHROPIC_BASE_URL: peer.url, ANTHROPIC_API_KEY: "k" },
    ...{ GOOGLE_GEMINI_BASE_URL: peer.url, GOOGLE_API_KEY: "k" },
    A2A_PUSH: "memory",
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" },
    ...{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "grpc" },
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
  });
  writeHostileApps(join(server.folder, "agents"), peer.url);
  // The first run loads the SDKs.
  peer.only = "broken JSON";
  for (const app of HOSTILE_APPS) await run(app, `warm-${app}`, random);
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await peer?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

describe(`a server of 512 MB, with SEED=${TEST_SEED}`, () => {
  it.each<[HostileKind, HostileApp]>([
    ["60 MB of carriage returns", "open_peer"],
    ["60 MB of carriage returns", "claude_peer"],
    ["60 MB of carriage returns", "gemini_peer"],
    ["a million calls", "open_peer"],
    ["one huge event", "open_peer"],
    ["a line without end", "gemini_peer"],
    ["events without end", "open_peer"],
    ["one huge answer", "api_peer"],
    ["one huge answer", "a2a_peer"],
    ["events without end", "a2a_peer"],
    ["60 MB of carriage returns", "a2a_peer"],
    ["JSON without end", "a2a_card"],
  ])("goes on answering while a peer sends %s to %s", { timeout: 60_000 }, async (kind, app) => {
    peer.only = kind;
    const cpu = cpuSeconds(server.pid);
    const given = peer.given.length;
    const { result: bytes, health } = await watched(server, run(app, `${kind} ${app}`.replaceAll(" ", "-"), random));
    expect(server.end).toBeUndefined();
    expect(peer.given.length).toBeGreaterThan(given);
    expect(health.slowestMs).toBeLessThan(MAX_HEALTH_MS);
    expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
    expect(cpuSeconds(server.pid) - cpu).toBeLessThan(MAX_CPU_SECONDS);
    expect(bytes).toBeLessThan(MAX_SESSION_BYTES);
  });

  it.each<HostileKind>(["one huge answer", "JSON without end", "a flood of line ends", "no answer"])(
    "goes on answering while collectors and receivers of notifications answer with %s",
    { timeout: 60_000 },
    async (kind) => {
      peer.only = "a half-closed socket";
      receiver.only = kind;
      const given = receiver.given.length;
      const sent = Array.from({ length: 10 }, (_, index) => notifiedTask("open_peer", `${kind} ${index}`));
      const { health } = await watched(
        server,
        Promise.all(sent).then(() => pause(5000)),
      );
      expect(server.end).toBeUndefined();
      expect(receiver.given.length).toBeGreaterThan(given);
      expect(health.slowestMs).toBeLessThan(MAX_HEALTH_MS);
      expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
    },
  );

  it(`goes on answering while models, servers of tools, agents and receivers do anything for ${SECONDS} s`, {
    timeout: (SECONDS + 90) * 1000,
  }, async () => {
    peer.only = undefined;
    receiver.only = undefined;
    const until = performance.now() + SECONDS * 1000;
    let runs = 0;
    let bytes = 0;
    const attack = async (): Promise<void> => {
      while (performance.now() < until && server.end === undefined) {
        const own = random.fork(`run ${runs++}`);
        if (own.next() < 0.2) await notifiedTask(own.pick(HOSTILE_APPS), `task ${runs}`);
        bytes = Math.max(bytes, await run(own.pick(HOSTILE_APPS), `s${runs}`, own));
      }
    };
    const all = Promise.all(Array.from({ length: CONCURRENCY }, attack)).then(() => bytes);
    const { health } = await watched(server, all);
    process.stdout.write(
      `SEED=${TEST_SEED}: ${runs} runs, ${peer.given.length} answers, ${receiver.given.length} of receivers; slowest /health ${Math.round(health.slowestMs)} ms, ${Math.round(health.largestMib)} MiB, largest session ${bytes} bytes\n`,
    );
    expect(server.end).toBeUndefined();
    expect(health.slowestMs, peer.given.slice(-20).join("\n")).toBeLessThan(MAX_HEALTH_MS);
    expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
    expect(bytes).toBeLessThan(MAX_SESSION_BYTES);
  });
});

/** One run of the app in a session of its own. Returns the size of the session afterwards. */
async function run(app: string, id: string, own: SeededRandom): Promise<number> {
  const session = `/apps/${app}/users/u/sessions/${id}`;
  await send(server.url, "POST", session, {});
  const body = { appName: app, userId: "u", sessionId: id, streaming: own.pick([true, true, false]) };
  await send(server.url, "POST", own.pick(["/run", "/run_sse"]), {
    ...body,
    newMessage: { role: "user", parts: [{ text: "hello" }] },
  });
  return (await send(server.url, "GET", session)).bytes;
}

/** Starts a task whose updates the server sends to the receiver. */
async function notifiedTask(app: string, id: string): Promise<void> {
  const message = { messageId: id, role: "ROLE_USER", parts: [{ text: "hello" }] };
  const taskPushNotificationConfig = { id: "hook", url: `${receiver.url}/hook` };
  const configuration = { returnImmediately: true, taskPushNotificationConfig };
  await send(server.url, "POST", `/a2a/${app}/message:send`, { message, configuration });
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The processor time of a process so far. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function send(url: URL, method: string, path: string, body?: object): Promise<{ status: number; bytes: number }> {
  try {
    const response = await fetch(new URL(path, url), {
      method,
      signal: AbortSignal.timeout(20_000),
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", "a2a-version": "1.0" },
      }),
    });
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
    return { status: response.status, bytes };
  } catch {
    // A run that takes too long.
    return { status: 0, bytes: 0 };
  }
}
