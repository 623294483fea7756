import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { toEventJson } from "#kit/events/event-record.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { FairleadStores } from "../import/fairlead-stores.ts";
import type { StoresCommand } from "../import/import.ts";
import type { SourceItem } from "../import/session-source.ts";
import { UsageError } from "../parse-arguments.ts";

/** The standard output. */
const OUTPUT = "-";

/**
 * Runs `fairlead export`: the sessions, then the files of all tenants. Only one session, or one version of a file, is in
 * memory. Returns the exit code. Throws `UsageError` if the file cannot be made.
 */
export async function exportCommand(command: StoresCommand & { readonly file: string }): Promise<number> {
  const { file, flags, config, clock, ids, logger, signal, print } = command;
  if (config.SESSION_STORE === "memory")
    throw new UsageError("SESSION_STORE is memory: its sessions are in the server's process.");
  await using stack = new AsyncDisposableStack();
  const context = createStoreContext({ config, clock, ids, logger, stack });
  const { store: sessions } = await openSessionStore(context);
  const { store: artifacts } = await openArtifactStore(context);
  const output = file === OUTPUT ? process.stdout : await createFile(file);
  const counts = { sessions: 0, events: 0, files: 0 };
  const limits = { maxRowBytes: Number.POSITIVE_INFINITY, maxSessionBytes: Number.POSITIVE_INFINITY };
  const all = { ...limits, maxEvents: Number.POSITIVE_INFINITY, maxElements: Number.POSITIVE_INFINITY };
  const stores = new FairleadStores({ sessions, artifacts, limits: all, dispose: async () => {} });
  for await (const item of stores.items()) {
    signal.throwIfAborted();
    for (const line of linesOf(item)) await write(output, line);
    if (item.kind === "session") {
      counts.sessions += 1;
      counts.events += item.events.length;
    } else counts.files += 1;
  }
  await write(output, { kind: "end" });
  if (output !== process.stdout) {
    output.end();
    await finished(output);
  }
  if (flags.has("--json") && file !== OUTPUT) print(JSON.stringify(counts));
  else if (file !== OUTPUT)
    print(
      `${counts.sessions} sessions with ${counts.events} events and ${counts.files} versions of files were written to ${file}.`,
    );
  return 0;
}

/** The lines of a session and its events, or of a version of a file, as in the export of a tenant. */
function* linesOf(item: SourceItem): Generator<object | string> {
  if (item.kind === "session") {
    const { key, state, lastUpdateTime, closedTime, events } = item;
    const { tenantId, appName, userId, id } = key;
    yield {
      kind: "session",
      tenantId,
      appName,
      userId,
      id,
      state,
      lastUpdateTime,
      revision: events.length,
      closedTime,
    };
    for (const [index, event] of events.entries()) {
      const head = { kind: "event", tenantId, appName, userId, sessionId: id, sequence: index + 1 };
      yield `${JSON.stringify(head).slice(0, -1)},"event":${toEventJson(event)}}`;
    }
  } else if (item.kind === "file") {
    const { session, filename, version, artifact, customMetadata } = item;
    const { tenantId, appName, userId, id: sessionId } = session;
    yield { kind: "artifact", tenantId, appName, userId, sessionId, filename, version, customMetadata, artifact };
  }
}

async function write(output: Writable, line: object | string): Promise<void> {
  const text = typeof line === "string" ? line : JSON.stringify(line);
  if (output.write(`${text}\n`)) return;
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error): void => {
      output.off("drain", done);
      output.off("error", done);
      if (error === undefined) resolve();
      else reject(error);
    };
    output.on("drain", done);
    output.on("error", done);
  });
}

async function createFile(path: string): Promise<Writable> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  try {
    await new Promise<void>((resolve, reject) => file.once("open", () => resolve()).once("error", reject));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new UsageError(
      code === "EEXIST" ? `${path} exists. Name another file.` : `${path} cannot be written (${code}).`,
    );
  }
  return file;
}
