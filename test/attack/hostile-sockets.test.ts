import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { attackSeconds } from "./attack-options.ts";
import { AttackedServer } from "./attacked-server.ts";
import { MAX_HEALTH_MS, MAX_RSS_MIB, watched } from "./health-watch.ts";
import { writeHostileApps } from "./hostile-apps.ts";
import { HostilePeer } from "./hostile-peer.ts";
import type { HostileSession } from "./hostile-sockets.ts";
import { LIVE_CLIENTS, type LiveClientKind, talk } from "./live-clients.ts";
import { MemoryWatch } from "./memory-watch.ts";

/** A sixth of the attack's time. */
const SECONDS = Math.ceil(attackSeconds() / 6);
const CONCURRENCY = 6;
const LIVE_APPS = ["open_live", "gemini_live"] as const;

const random = new SeededRandom(TEST_SEED).fork("sockets");
let peer: HostilePeer;
let server: AttackedServer;

beforeAll(async () => {
  peer = await HostilePeer.start(random.fork("peer"));
  server = await AttackedServer.start({
    NODE_OPTIONS: "--max-old-space-size=512",
    RUN_TIMEOUT_MS: "20000",
    OUTBOUND_ALLOWED_HOSTS: "127.0.0.1",
    ...{
      OPENAI_BASE_URL: `${peer.url}/v1`,
      OPENAI_API_KEY: "k",
      GOOGLE_GEMINI_BASE_URL: peer.url,
      GOOGLE_API_KEY: "k",
    },
  });
  writeHostileApps(join(server.folder, "agents"), peer.url);
  // The first sessions load the SDKs.
  peer.sockets.only = "an early end";
  for (const app of LIVE_APPS) await converse(app, "reader", random);
}, 60_000);

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await peer?.[Symbol.asyncDispose]();
});

describe(`live runs of a server of 512 MB, with SEED=${TEST_SEED}`, () => {
  it.each<[HostileSession, (typeof LIVE_APPS)[number], LiveClientKind]>([
    ["answers without end", "open_live", "reader"],
    ["answers without end", "gemini_live", "stalled"],
    ["turns without end", "open_live", "stalled"],
    ["notes without end", "open_live", "reader"],
    ["notes without end", "gemini_live", "reader"],
    ["one huge frame", "gemini_live", "reader"],
    ["a frame without end", "gemini_live", "reader"],
    ["a frame without end", "open_live", "reader"],
    ["100,000 calls", "open_live", "reader"],
    ["sound without end", "gemini_live", "stalled"],
    ["small chunks without end", "gemini_live", "reader"],
  ])("go on while a provider sends %s to %s, whose client is a %s", { timeout: 60_000 }, async (kind, app, client) => {
    peer.sockets.only = kind;
    const given = peer.sockets.given.length;
    const talks = Array.from({ length: 3 }, (_, index) =>
      converse(app, client, random.fork(`${kind} ${app} ${index}`)),
    );
    const { health } = await watched(server, Promise.all(talks));
    expect(server.end).toBeUndefined();
    expect(peer.sockets.given.length).toBeGreaterThan(given);
    expect(health.slowestMs).toBeLessThan(MAX_HEALTH_MS);
    expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
  });

  it("keep little of messages whose ends never come", { timeout: 60_000 }, async () => {
    peer.sockets.only = "silence";
    const { health } = await watched(server, Promise.resolve());
    using memory = new MemoryWatch(() => server.residentBytes);
    // 3.5 MB each, which is less than a message may have.
    const talks = Array.from({ length: 90 }, (_, index) =>
      converse("open_live", "sender of a beginning", random.fork(`beginning ${index}`)),
    );
    await watched(server, Promise.all(talks));
    process.stdout.write(`SEED=${TEST_SEED}: 315 MB of beginnings, ${memory.grownMebibytes} MiB more memory\n`);
    expect(server.end).toBeUndefined();
    expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
    expect(memory.grownMebibytes).toBeLessThan(260);
  });

  it(`go on while providers and clients do anything for ${SECONDS} s`, { timeout: (SECONDS + 90) * 1000 }, async () => {
    peer.sockets.only = undefined;
    const until = performance.now() + SECONDS * 1000;
    let talks = 0;
    const attack = async (): Promise<void> => {
      while (performance.now() < until && server.end === undefined) {
        const own = random.fork(`talk ${talks++}`);
        await converse(own.pick(LIVE_APPS), own.pick(LIVE_CLIENTS), own);
      }
    };
    const { health } = await watched(server, Promise.all(Array.from({ length: CONCURRENCY }, attack)));
    process.stdout.write(
      `SEED=${TEST_SEED}: ${talks} talks, ${peer.sockets.given.length} sessions of providers; slowest /health ${Math.round(health.slowestMs)} ms, ${Math.round(health.largestMib)} MiB\n`,
    );
    expect(server.end).toBeUndefined();
    expect(health.slowestMs, peer.sockets.given.slice(-20).join("\n")).toBeLessThan(MAX_HEALTH_MS);
    expect(health.largestMib).toBeLessThan(MAX_RSS_MIB);
  });
});

let sessions = 0;

/** A live run in a session of its own, with one client. */
async function converse(app: string, client: LiveClientKind, own: SeededRandom): Promise<void> {
  sessions += 1;
  const session = `live-${sessions}`;
  await fetch(new URL(`/apps/${app}/users/u/sessions/${session}`, server.url), { method: "POST" });
  const query = new URLSearchParams({ app_name: app, user_id: "u", session_id: session, modalities: "TEXT" });
  await talk(new URL(`/run_live?${query}`, server.url), client, own);
}
