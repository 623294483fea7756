import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { describeWithStores } from "#test/helpers/servers/service-stores.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { attackSeconds } from "./attack-options.ts";
import { AttackedPlatform } from "./attacked-platform.ts";
import { AttackedServer } from "./attacked-server.ts";
import { FILE_BYTES, LARGE, LISTED_SESSIONS, STORED_VERSIONS, storeLargeData } from "./large-data.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { type Pace, PacedReader } from "./paced-reader.ts";

/** A sixth of the attack's time. */
const GENERATED_MS = (attackSeconds() * 1000) / 6;

/**
 * The default of MAX_ANSWER_BYTES, 64 MiB, and room for garbage: readers that arrive together fill the system's buffers
 * of their connections within a second, faster than the heap is collected. An answer that is kept for each of them takes
 * more than a gigabyte, or ends the process.
 */
const MOST_GROWN_MEBIBYTES = 64 + 64 + 192;
const STALLED: Pace = { kind: "stalled" };
/** Time in which stalled readers fill what they can. */
const FILL_MS = 4_000;

interface Attacked extends AsyncDisposable {
  readonly url: URL;
  /** How it ended; undefined while it runs. */
  readonly end: string | undefined;
  /** Bytes of memory that each process has. */
  readonly residentBytes: readonly number[];
}

const SEEDED = `with SEED=${TEST_SEED}`;

describe(`readers of large answers of one process, ${SEEDED}`, () => readersSuite(() => AttackedServer.start()));

describeWithStores(`readers of large answers of six services, ${SEEDED}`, {}, (nextStores) =>
  readersSuite(() => AttackedPlatform.start(nextStores().settings)),
);

function readersSuite(start: () => Promise<Attacked>): void {
  let server: Attacked;
  let routes: readonly string[];
  const open: PacedReader[] = [];

  beforeAll(async () => {
    server = await start();
    routes = await storeLargeData(server.url);
  }, 120_000);

  afterEach(() => {
    for (const reader of open.splice(0)) reader[Symbol.dispose]();
  });

  afterAll(() => server?.[Symbol.asyncDispose]());

  async function read(path: string, pace: Pace, count: number): Promise<readonly PacedReader[]> {
    const readers = await Promise.all(Array.from({ length: count }, () => PacedReader.open(server.url, path, pace)));
    open.push(...readers);
    return readers;
  }

  it.each([
    ["60 of a session with two files", LARGE.files, 60],
    ["60 of a session's stream", `/v1${LARGE.files}/stream?after=0`, 60],
    ["75 of a session of text", LARGE.text, 75],
    ["120 of a file", LARGE.artifact, 120],
    ["60 of a list of sessions", LARGE.list, 60],
    ["60 of a list of versions", LARGE.versions, 60],
  ])("does not fill its memory for readers that stall: %s", { timeout: 60_000 }, async (_title, path, count) => {
    verifies("limits:slow-reader");
    using watch = new MemoryWatch(() => server.residentBytes);
    await read(path, STALLED, count);
    await pause(FILL_MS);
    expect((await fetch(new URL("/health", server.url))).status).toBe(200);
    expect(watch.grownMebibytes).toBeLessThan(MOST_GROWN_MEBIBYTES);
  });

  it("answers 40 readers of one file, all of them whole", { timeout: 120_000 }, async () => {
    using watch = new MemoryWatch(() => server.residentBytes);
    const readers = await read(LARGE.artifact, { kind: "whole" }, 40);
    const readings = await Promise.all(readers.map((reader) => reader.untilOver()));
    expect(new Set(readings.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { bytes } of readings) expect(bytes).toBeGreaterThan((FILE_BYTES * 4) / 3);
    expect(watch.grownMebibytes).toBeLessThan(MOST_GROWN_MEBIBYTES);
  });

  it("answers whole lists", { timeout: 120_000 }, async () => {
    using watch = new MemoryWatch(() => server.residentBytes);
    const [sessions, versions] = await Promise.all([jsonOf(LARGE.list), jsonOf(LARGE.versions)]);
    expect([sessions.length, versions.length]).toEqual([LISTED_SESSIONS, STORED_VERSIONS]);
    expect(watch.grownMebibytes).toBeLessThan(MOST_GROWN_MEBIBYTES);
  });

  it(`keeps its memory, for readers of all kinds and routes for ${GENERATED_MS / 1000} s`, {
    timeout: GENERATED_MS + 60_000,
  }, async () => {
    const random = new SeededRandom(TEST_SEED);
    using watch = new MemoryWatch(() => server.residentBytes);
    const statuses = new Map<string, number>();
    const until = performance.now() + GENERATED_MS;
    const attend = async (): Promise<void> => {
      while (performance.now() < until) {
        const path = random.pick(routes);
        const pace = paceOf(random);
        using reader = await PacedReader.open(server.url, path, pace);
        const stay = Math.min(random.between(200, 8_000), Math.max(0, until - performance.now()));
        const { status = 0 } = await Promise.race([reader.untilOver(), pause(stay).then(() => reader.reading)]);
        const name = `${pace.kind} ${status}`;
        statuses.set(name, (statuses.get(name) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 150 }, attend));
    const grown = watch.grownMebibytes;
    process.stdout.write(
      `SEED=${TEST_SEED}: grown by ${grown} MiB for ${JSON.stringify(Object.fromEntries(statuses))}\n`,
    );
    expect(grown).toBeLessThan(MOST_GROWN_MEBIBYTES);
    // Refused while the account is full, and never broken.
    const other = [...statuses.keys()].filter((name) => !/ (?:0|200|429|503)$/.test(name));
    expect(other).toEqual([]);
    expect(server.end).toBeUndefined();
    expect((await jsonOf(LARGE.list)).length).toBe(LISTED_SESSIONS);
  });

  async function jsonOf(path: string): Promise<readonly unknown[]> {
    const answer = await fetch(new URL(path, server.url));
    // A list by its route.
    return (await answer.json()) as readonly unknown[];
  }
}

function paceOf(random: SeededRandom): Pace {
  const kind = random.pick(["stalled", "stalled", "slow", "leaving", "whole"] as const);
  if (kind === "slow") return { kind, bytes: random.between(1_000, 500_000), pauseMs: random.between(5, 500) };
  if (kind === "leaving") return { kind, afterBytes: random.between(1, 5_000_000) };
  return { kind };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
