import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../client.ts";
import type { Figures } from "../scenarios/scenario.ts";
import { FloorServer } from "./floor-server.ts";
import type { CallCounts } from "./probe.ts";

const FILE = join(import.meta.dirname, "floor.json");
/** By how much a figure may be greater than the stored one. */
const TOLERANCE = 1.1;

const WARM_UP_TURNS = 300;
const TURNS = 100;
const FEW_CHUNKS = 100;
const MANY_CHUNKS = 300;
const STREAMS = 20;
/** Of each measurement. */
const ROUNDS = 4;

/**
 * Compares what a turn does with what it did when the stored figures were written: functions entered, promises, bytes
 * allocated, reads and writes, sessions that a cache has lost. None depends on the machine's speed. Returns the figures
 * that are more than a tenth greater.
 */
export async function benchFloor({ update }: { readonly update: boolean }): Promise<readonly string[]> {
  const found = await measureFloor();
  if (update) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
  // Written above.
  const floor = JSON.parse(readFileSync(FILE, "utf8")) as Figures;
  for (const [name, value] of Object.entries(found))
    process.stdout.write(`  ${name.padEnd(44)} ${String(value).padStart(8)}   stored ${floor[name] ?? "nothing"}\n`);
  return Object.entries(found).flatMap(([name, value]) => {
    const stored = floor[name];
    if (stored !== undefined && value <= stored * TOLERANCE) return [];
    return [
      `${name}: ${value}, and ${stored ?? "nothing"} is stored. If it has to be so: npm run bench -- --floor --update`,
    ];
  });
}

async function measureFloor(): Promise<Figures> {
  await using server = await FloorServer.start();
  using client = new Client(server.url, 1);
  const turns = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await client.run(`turn-${index % 25}`, "small=1");
  };
  const streams = async (chunks: number): Promise<void> => {
    for (let index = 0; index < STREAMS; index += 1) await client.runSse(`stream-${index}`, `n=${chunks} s=20 brief=1`);
  };
  for (let index = 0; index < 25; index += 1) await client.createSession(`turn-${index}`);
  for (let index = 0; index < STREAMS; index += 1) await client.createSession(`stream-${index}`);
  await turns(WARM_UP_TURNS);
  await streams(MANY_CHUNKS);
  return {
    ...(await costOfTurn(server, "/run", () => turns(TURNS), TURNS)),
    ...(await costOfTurn(server, "/run_sse, 100 chunks", () => streams(FEW_CHUNKS), STREAMS)),
    ...(await costOfChunk(server, streams)),
    "sessions read again, of 120 with 12 MB": await lostSessions(server, client),
  };
}

async function costOfTurn(
  server: FloorServer,
  name: string,
  job: () => Promise<void>,
  count: number,
): Promise<Figures> {
  const { functions, promises } = await leastCalls(server, job);
  const perTurn = functions.filter((each) => each.count >= count / 2);
  const { allocated, systemCalls } = await leastBytes(server, job);
  return {
    [`${name}: files`]: new Set(perTurn.map(({ file }) => file)).size,
    [`${name}: functions`]: perTurn.length,
    [`${name}: calls of functions`]: Math.round(callsOf(functions) / count),
    [`${name}: promises`]: Math.round(promises / count),
    [`${name}: bytes allocated`]: Math.round(allocated / count),
    [`${name}: reads and writes`]: Math.round(systemCalls / count),
  };
}

async function costOfChunk(server: FloorServer, streams: (chunks: number) => Promise<void>): Promise<Figures> {
  const few = () => streams(FEW_CHUNKS);
  const many = () => streams(MANY_CHUNKS);
  const [fewCalls, manyCalls] = [await leastCalls(server, few), await leastCalls(server, many)];
  const [fewBytes, manyBytes] = [await leastBytes(server, few), await leastBytes(server, many)];
  const chunks = (MANY_CHUNKS - FEW_CHUNKS) * STREAMS;
  return {
    "a chunk: calls of functions": Math.round((callsOf(manyCalls.functions) - callsOf(fewCalls.functions)) / chunks),
    "a chunk: promises": Math.round((manyCalls.promises - fewCalls.promises) / chunks),
    "a chunk: bytes allocated": Math.round((manyBytes.allocated - fewBytes.allocated) / chunks),
  };
}

/** The measurement with the fewest promises: the others had modules loaded beside, or a timer. */
async function leastCalls(server: FloorServer, job: () => Promise<unknown>): Promise<CallCounts> {
  let best = await server.calls(job);
  for (let round = 1; round < ROUNDS; round += 1) {
    const counts = await server.calls(job);
    if (counts.promises < best.promises) best = counts;
  }
  return best;
}

/** The least of the measurements in which nothing was collected. */
async function leastBytes(server: FloorServer, job: () => Promise<void>) {
  let best = { allocated: Number.POSITIVE_INFINITY, systemCalls: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { allocated, collections, systemCalls } = await server.bytes(job);
    if (collections > 0) continue;
    best = {
      allocated: Math.min(best.allocated, allocated),
      systemCalls: Math.min(best.systemCalls, systemCalls),
    };
  }
  return best;
}

/** How many of the sessions that were just used are read from the store again. */
async function lostSessions(server: FloorServer, client: Client): Promise<number> {
  const ids = Array.from({ length: 120 }, (_, index) => `long-${index}`);
  for (const id of ids) await client.createSession(id);
  for (const id of ids) await client.run(id, "n=10 s=10000");
  // Another order than the one in which they were filled, and the same each time.
  const shuffled = ids.map((_, index) => ids[(index * 53) % ids.length] ?? "");
  const { functions } = await server.calls(async () => {
    for (const id of shuffled) await client.run(id, "small=1");
  });
  return functions.find(({ name }) => name === "createCachedSession")?.count ?? 0;
}

function callsOf(functions: CallCounts["functions"]): number {
  return functions.reduce((sum, { count }) => sum + count, 0);
}
