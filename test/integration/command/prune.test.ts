import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openMemoryStore } from "#shared/stores/memory-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const OLD = 150;
const NEW = 20;

async function createFolder(rules: string) {
  const path = await mkdtemp(join(tmpdir(), "prune-"));
  const file = join(path, "retention.yaml");
  await writeFile(file, rules);
  const flags = ["--data-dir", join(path, "data"), "--retention-file", file];
  return { path, flags, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** The stores of the folder, as a server opens them. */
async function openStores(path: string, ageMs: number) {
  const stack = new AsyncDisposableStack();
  const config = loadConfig(standaloneConfigSchema, { DATA_DIR: join(path, "data") });
  const sources = { clock: new FixedClock(Date.now() - ageMs), ids: new SequentialIds(), logger: silentLogger };
  const context = createStoreContext({ config, ...sources, stack });
  const { store: sessions } = await openSessionStore(context);
  const { store: artifacts } = await openArtifactStore(context);
  const { store: memory } = await openMemoryStore(context);
  const { store: results } = await openEvalStore(context);
  const filesOf = async (key: SessionKey) => (await artifacts.listArtifactKeys(key)).filenames.length;
  return { sessions, artifacts, memory, results, filesOf, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function sessionOf(age: "old" | "new", index: number): SessionKey {
  return { appName: index % 2 === 0 ? "weather" : "desk", userId: "me", id: `${age}-${index}` };
}

async function addSessions(path: string, age: "old" | "new", count: number): Promise<void> {
  await using stores = await openStores(path, age === "old" ? 40 * DAY_MS : 0);
  for (let index = 0; index < count; index += 1) {
    const session = sessionOf(age, index);
    await stores.sessions.createSession({ ...session, state: { index } });
    await stores.artifacts.saveArtifact({ session, filename: "a.txt", artifact: { text: "file" } });
  }
}

/** An entry of memory and a result of that id and age. */
async function addAged(path: string, id: string, days: number): Promise<void> {
  const ageMs = days * DAY_MS;
  await using stores = await openStores(path, ageMs);
  const app = { appName: "desk" };
  await stores.memory.addMemoryEntries({ ...app, userId: "me" }, [{ id, content: { parts: [{ text: "tea" }] } }]);
  const names = { evalSetResultId: id, evalSetResultName: id, evalSetId: "smoke" };
  const creationTimestamp = (Date.now() - ageMs) / 1000;
  await stores.results.saveEvalSetResult(app, { ...names, evalCaseResults: [], creationTimestamp });
}

async function run(...args: readonly string[]) {
  await using process = new CliProcess(["prune", ...args]);
  await process.ended;
  return { code: process.child.exitCode, output: process.output.trim() };
}

it("names what it would delete, then deletes it", { timeout: 60_000 }, async () => {
  verifies("retention:prune");
  await using folder = await createFolder("overrides: [{ app: desk, sessionDays: 30 }]");
  await addSessions(folder.path, "old", 4);
  expect(await run(...folder.flags, "--dry-run")).toEqual({
    code: 0,
    output: [
      ...["Would delete session desk me old-1", "Would delete session desk me old-3"],
      ...["TENANT   APP   KIND      WOULD DELETE", "default  desk  sessions  2"],
    ].join("\n"),
  });
  const deleted = await run(...folder.flags);
  expect(deleted).toEqual({ code: 0, output: "TENANT   APP   KIND      DELETED\ndefault  desk  sessions  2" });
  expect(await run(...folder.flags)).toEqual({ code: 0, output: "Nothing is too old." });
  await using stores = await openStores(folder.path, 0);
  const left = [0, 1, 2, 3].map(async (index) => (await stores.sessions.getSession(sessionOf("old", index)))?.id);
  expect(await Promise.all(left)).toEqual(["old-0", undefined, "old-2", undefined]);
});

it("names and deletes memory and results", { timeout: 60_000 }, async () => {
  verifies("retention:prune", "retention:memory", "retention:results");
  await using folder = await createFolder("defaults: { memoryDays: 30, resultDays: 30 }");
  await addAged(folder.path, "old", 40);
  await addAged(folder.path, "new", 0);
  const table = (done: string) => [
    `TENANT   APP   KIND     ${done}`,
    ...["default  desk  memory   1", "default  desk  results  1"],
  ];
  expect(await run(...folder.flags, "--dry-run")).toEqual({
    code: 0,
    output: ["Would delete memory desk me old", "Would delete result desk old", ...table("WOULD DELETE")].join("\n"),
  });
  const { code, output } = await run(...folder.flags, "--json");
  const [first, second, last] = output.split("\n").map((line): unknown => JSON.parse(line));
  expect([code, first, second]).toEqual([
    ...[0, { memory: { appName: "desk", userId: "me", id: "old" } }],
    { result: { appName: "desk", id: "old" } },
  ]);
  expect(last).toMatchObject({ isDryRun: false, failed: 0 });
  expect(await run(...folder.flags)).toEqual({ code: 0, output: "Nothing is too old." });
  await using stores = await openStores(folder.path, 0);
  const { memories } = await stores.memory.searchMemory({ appName: "desk", userId: "me" }, "tea");
  expect(memories.map(({ id }) => id)).toEqual(["new"]);
  expect(await stores.results.listEvalSetResults({ appName: "desk" })).toEqual(["new"]);
});

it("refuses other words, and settings under which there is nothing to do", { timeout: 60_000 }, async () => {
  await using folder = await createFolder("defaults: { sessionDays: -1 }");
  expect(await run("all")).toMatchObject({
    code: 2,
    output: expect.stringContaining("Usage: fairlead prune"),
  });
  expect(await run()).toMatchObject({ code: 2, output: expect.stringContaining("RETENTION_FILE is empty") });
  await using kept = await createFolder("defaults: { sessionDays: 1, resultDays: 1 }");
  for (const store of ["session", "eval"]) {
    const inMemory = await run(...kept.flags, `--${store}-store`, "memory");
    const output = expect.stringContaining(`${store.toUpperCase()}_STORE is memory`);
    expect(inMemory).toMatchObject({ code: 2, output });
  }
  const broken = await run(...folder.flags);
  expect(broken).toMatchObject({ code: 1, output: expect.stringContaining("sessionDays must be days") });
});

it("is killed in the middle again and again, and leaves nothing half deleted", { timeout: 120_000 }, async () => {
  verifies("retention:resumes", "retention:counted");
  await using folder = await createFolder("defaults: { sessionDays: 30 }");
  await addSessions(folder.path, "old", OLD);
  await addSessions(folder.path, "new", NEW);
  const log = join(folder.path, "audit", "audit.jsonl");
  const args = [...folder.flags, "--json", "--audit", "file", "--audit-file", log];
  let left = OLD;
  for (let kill = 0; kill < 4; kill += 1) {
    await using process = new CliProcess(["prune", ...args]);
    // Some sessions of the batch are deleted, and others are between two steps.
    await process.until(/(?:"session".*\n[^]*){10}/);
    await process.end("SIGKILL");
    await using stores = await openStores(folder.path, 0);
    left = 0;
    for (let index = 0; index < OLD; index += 1) {
      const key = sessionOf("old", index);
      const session = await stores.sessions.getSession(key);
      const files = await stores.filesOf(key);
      if (session === undefined) expect([key.id, files]).toEqual([key.id, 0]);
      else left += 1;
      // What is still open is whole.
      if (session !== undefined && session.closedTime === undefined) expect([key.id, files]).toEqual([key.id, 1]);
    }
    expect(left).toBeLessThan(OLD);
    expect(left).toBeGreaterThan(0);
  }
  const last = await run(...args);
  expect(last.code).toBe(0);
  expect(JSON.parse(last.output.split("\n").at(-1) ?? "")).toMatchObject({ isDryRun: false, failed: 0 });
  await using stores = await openStores(folder.path, 0);
  for (let index = 0; index < OLD; index += 1) {
    const key = sessionOf("old", index);
    expect([await stores.sessions.getSession(key), await stores.filesOf(key)]).toEqual([undefined, 0]);
  }
  for (let index = 0; index < NEW; index += 1) {
    const key = sessionOf("new", index);
    expect([(await stores.sessions.getSession(key))?.state, await stores.filesOf(key)]).toEqual([{ index }, 1]);
  }
  const text = await readFile(log, "utf8");
  const recorded = new Set([...text.matchAll(/"sessionId":"(old-\d+)"/g)].map(([, id]) => id));
  expect(recorded.size).toBe(OLD);
});

const ENTRIES = 1_200;
const RESULTS = 250;

/** Entries of memory of four users and results, all old but for one of each. */
async function addManyAged(path: string): Promise<void> {
  await addAged(path, "new", 0);
  await using stores = await openStores(path, 40 * DAY_MS);
  for (let start = 0; start < ENTRIES; start += 100) {
    const entries = Array.from({ length: 100 }, (_, index) => {
      const id = `old${start + index}`;
      return { id, content: { parts: [{ text: id }] } };
    });
    await stores.memory.addMemoryEntries({ appName: "desk", userId: `user${start % 400}` }, entries);
  }
  const creationTimestamp = (Date.now() - 40 * DAY_MS) / 1000;
  for (let index = 0; index < RESULTS; index += 1) {
    const names = { evalSetResultId: `old${index}`, evalSetResultName: `old${index}`, evalSetId: "smoke" };
    await stores.results.saveEvalSetResult({ appName: "desk" }, { ...names, evalCaseResults: [], creationTimestamp });
  }
}

/** How many old entries and results are left. Each of them has to be found, and read, whole. */
async function countAged(path: string) {
  await using stores = await openStores(path, 0);
  let entries = 0;
  for (let index = 0; index < ENTRIES; index += 1) {
    const owner = { appName: "desk", userId: `user${(index - (index % 100)) % 400}` };
    const { memories } = await stores.memory.searchMemory(owner, `old${index}`);
    if (memories.length > 0)
      expect(memories.map(({ id, content }) => [id, content])).toEqual([
        [`old${index}`, { parts: [{ text: `old${index}` }] }],
      ]);
    entries += memories.length;
  }
  const names = await stores.results.listEvalSetResults({ appName: "desk" });
  for (const name of names) {
    const result = await stores.results.getEvalSetResult({ appName: "desk" }, name);
    expect(result).toMatchObject({ evalSetResultName: name, evalSetId: "smoke" });
  }
  const { memories } = await stores.memory.searchMemory({ appName: "desk", userId: "me" }, "tea");
  expect([memories.map(({ id }) => id), names.includes("new")]).toEqual([["new"], true]);
  return { entries, results: names.length - 1 };
}

it("is killed while it deletes memory and results, and the next pass ends the work", { timeout: 120_000 }, async () => {
  verifies("retention:resumes", "retention:counted");
  await using folder = await createFolder("defaults: { memoryDays: 30, resultDays: 30 }");
  await addManyAged(folder.path);
  const log = join(folder.path, "audit", "audit.jsonl");
  const args = [...folder.flags, "--json", "--audit", "file", "--audit-file", log];
  let left = { entries: ENTRIES, results: RESULTS };
  for (const noun of [/"memory"/, /"memory"/, /"result"/, /"result"/]) {
    await using process = new CliProcess(["prune", ...args]);
    await process.until(noun);
    await process.end("SIGKILL");
    const now = await countAged(folder.path);
    // Something was deleted, and something is left for the next pass.
    expect(now.entries + now.results).toBeLessThan(left.entries + left.results);
    expect(now.results).toBeGreaterThan(0);
    left = now;
  }
  const last = await run(...args);
  expect(last.code).toBe(0);
  expect(await countAged(folder.path)).toEqual({ entries: 0, results: 0 });
  const text = await readFile(log, "utf8");
  const recorded = new Set(
    [...text.matchAll(/"action":"deleteEvalSetResult"[^}]*"id":"(old\d+)"/g)].map(([, id]) => id),
  );
  expect(recorded.size).toBe(RESULTS);
});

const FILES = 1_200;

/** The files of one session and its user, of which each second one is as old as 40 days. */
async function addFiles(path: string): Promise<void> {
  await using stores = await openStores(path, 0);
  for (let index = 0; index < FILES; index += 1)
    await stores.artifacts.saveArtifact({ session: SHARED, filename: filenameOf(index), artifact: { text: "file" } });
  const folder = join(path, "data", "artifacts");
  const old = new Date(Date.now() - 40 * DAY_MS);
  for (const name of await readdir(folder, { recursive: true })) {
    const number = /f(\d+)\/0\.(?:json|data)$/.exec(name)?.[1];
    if (number !== undefined && Number(number) % 2 === 0) await utimes(join(folder, name), old, old);
  }
}

const SHARED: SessionKey = { appName: "desk", userId: "me", id: "kept" };

function filenameOf(index: number): string {
  return index % 4 < 2 ? `f${index}` : `user:f${index}`;
}

/** The numbers of the files that are left. Each of them has to be whole, and nothing of the others is on the disk. */
async function filesLeft(path: string, isDone: boolean): Promise<readonly number[]> {
  await using stores = await openStores(path, 0);
  const left: number[] = [];
  for (let index = 0; index < FILES; index += 1) {
    const part = await stores.artifacts.loadArtifact({ session: SHARED, filename: filenameOf(index) });
    if (part !== undefined) expect(part).toEqual({ text: "file" });
    if (part !== undefined) left.push(index);
  }
  const names = await readdir(join(path, "data", "artifacts"), { recursive: true });
  const stored = names.filter((name) => name.endsWith("0.data"));
  if (isDone) expect(stored.length).toBe(left.length);
  return left;
}

it("is killed while it deletes old files, and the next pass leaves nothing of them", { timeout: 120_000 }, async () => {
  verifies("retention:resumes", "retention:artifacts");
  await using folder = await createFolder("defaults: { artifactDays: 30 }");
  await addFiles(folder.path);
  const log = join(folder.path, "audit", "audit.jsonl");
  const args = [...folder.flags, "--json", "--audit", "file", "--audit-file", log];
  for (let kill = 0; kill < 2; kill += 1) {
    await using process = new CliProcess(["prune", ...args]);
    // A pass that finds nothing left prints its counts alone.
    await process.until(/"artifact"|isDryRun/);
    await process.end("SIGKILL");
    const left = await filesLeft(folder.path, false);
    // Nothing that is new was deleted.
    expect(left.filter((index) => index % 2 === 1)).toHaveLength(FILES / 2);
  }
  const last = await run(...args);
  expect(last.code).toBe(0);
  const left = await filesLeft(folder.path, true);
  expect(left).toEqual(Array.from({ length: FILES / 2 }, (_, index) => 2 * index + 1));
});
