import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { readEvent } from "#kit/events/event-json.ts";
import { toEventJson } from "#kit/events/event-record.ts";
import { toMilliseconds } from "#kit/events/timestamp.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** A session as ADK prints it. */
export interface AdkSession {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly state: object;
  readonly events: readonly object[];
  readonly lastUpdateTime: number;
}

export async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), "import-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** Settings as variables of the environment. */
export type Settings = Readonly<Record<string, string>>;

/** Runs `fairlead import`. */
export async function runImport(source: string, settings: Settings, flags: Settings = {}) {
  const args = ["import", source, ...Object.entries(flags).flat()];
  await using process = new CliProcess(args, { environment: settings });
  await process.ended;
  return { code: process.child.exitCode, lines: process.output.trimEnd().split("\n") };
}

/** The stores of the settings. */
export async function openStores(settings: Settings) {
  const config = loadConfig(standaloneConfigSchema, settings);
  const stack = new AsyncDisposableStack();
  const sources = { clock: systemClock, ids: new SequentialIds(), logger: silentLogger };
  const context = createStoreContext({ config, ...sources, stack });
  const { store: sessions } = await openSessionStore(context);
  const { store: artifacts } = await openArtifactStore(context);
  return { sessions, artifacts, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Compares what the server answers over HTTP with what ADK has read back. */
export async function expectAsInAdk(settings: Settings, lines: string): Promise<void> {
  const expected = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AdkSession);
  await using stores = await openStores(settings);
  const deps = { sessionService: stores.sessions, runJournal: stores.sessions, artifactService: stores.artifacts };
  await using world = await startGateway({ deps });
  for (const session of expected) {
    const { appName, userId, id } = session;
    const url = `/apps/${appName}/users/${encodeURIComponent(userId)}/sessions/${encodeURIComponent(id)}`;
    const answer = await world.gateway.inject({ url });
    expect([id, answer.statusCode]).toEqual([id, 200]);
    const read = answer.json<AdkSession>();
    expect(read.state).toEqual(session.state);
    expect(read.events.map(eventOf)).toEqual(session.events.map(eventOf));
    expect(toMilliseconds(read.lastUpdateTime)).toBe(toMilliseconds(session.lastUpdateTime));
  }
}

/** The event in one form, without what a version of ADK adds to each event. */
function eventOf(event: object): unknown {
  const {
    nodeInfo: _,
    compactedSequences: __,
    longRunningToolIds: ids,
    ...rest
  } = JSON.parse(toEventJson(readEvent(structuredClone(event)))) as Record<string, unknown>;
  return { ...rest, ...(Array.isArray(ids) && ids.length > 0 && { longRunningToolIds: ids }) };
}
