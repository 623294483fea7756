import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { GatewayClient, type ServerCommand } from "./gateway/gateway-client.ts";
import { visible } from "./output/terminal.ts";
import { UsageError } from "./parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "./read-url.ts";
import { readTyped, type TypedOptions } from "./typed-options.ts";

const OPTIONS = {
  url: { type: "string" },
  user: { type: "string" },
  output: { type: "string" },
  cursor: { type: "string" },
  confirm: { type: "string" },
} as const;

type Options = TypedOptions<typeof OPTIONS>;

export interface TenantsCommand extends ServerCommand {
  readonly stdout?: NodeJS.WritableStream;
}

const PAUSE_MS = 1000;

/** The answer of the server to one call of a deletion. */
interface Step {
  readonly isDone: boolean;
  readonly at?: string;
  readonly deleted: Readonly<Record<string, number>>;
}

/**
 * Returns the output of `fairlead tenants`. An export is written to a file or to the standard output. Throws `UsageError`
 * for wrong arguments, `PlatformError` for refusals of the server, and for an export that was cut off.
 */
export async function tenants(command: TenantsCommand): Promise<string> {
  const { words, options } = readTyped(command.typed, OPTIONS);
  const [name, tenantId, ...rest] = words;
  const client = new GatewayClient(readUrl(options.url ?? (command.defaultUrl || DEFAULT_URL)), command.credentials);
  if (name === "deletions" && tenantId === undefined) {
    return JSON.stringify(await client.call("/v1/tenant-deletions"), null, 2);
  }
  if (tenantId === undefined || rest.length > 0 || (name !== "export" && name !== "delete"))
    throw new UsageError("Usage: fairlead tenants export|delete <tenant>, or fairlead tenants deletions");
  const path = `/v1/tenants/${encodeURIComponent(tenantId)}`;
  if (name === "delete") return deleteAll(client, path, options);
  const search = searchOf({ userId: options.user, cursor: options.cursor });
  // Opened before the request, so that nothing is exported that cannot be written.
  const file =
    options.output === undefined ? undefined : await openOutput(options.output, options.cursor !== undefined);
  const end = new LastLine();
  const lines = Readable.from(shown(end.watch(client.text(`${path}/export${search}`)), file === undefined));
  const target = file?.createWriteStream() ?? command.stdout ?? process.stdout;
  try {
    await pipeline(lines, target, { end: file !== undefined });
  } catch (cause) {
    throw end.cutOff(cause);
  }
  if (!end.isComplete) throw end.cutOff(undefined);
  return options.output === undefined ? "" : `Written to ${options.output}.`;
}

/** Escapes of hidden characters are those of JSON, so that the lines keep their meaning. */
async function* shown(lines: AsyncIterable<string>, inTerminal: boolean): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield inTerminal ? visible(line) : line;
}

/** Only this user may read the file. Throws `UsageError` if it exists and is not continued, or cannot be made. */
async function openOutput(path: string, continues: boolean): Promise<FileHandle> {
  try {
    return await open(path, continues ? "a" : "wx", 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST")
      throw new UsageError(`--output: ${path} exists. Name another file, or continue an export with --cursor.`);
    throw new UsageError(`--output: ${path} cannot be written (${String(code ?? error)}).`);
  }
}

/** Repeats the call until nothing is left. */
async function deleteAll(client: GatewayClient, path: string, { user, confirm }: Options): Promise<string> {
  const deleted: Record<string, number> = {};
  for (;;) {
    // The schema of the route's answer is part of the server's API description.
    const step = (await client.call(`${path}${searchOf({ userId: user, confirm })}`, "DELETE", {
      timeoutMs: 60_000,
    })) as Step;
    for (const [store, count] of Object.entries(step.deleted)) deleted[store] = (deleted[store] ?? 0) + count;
    if (step.isDone) break;
    await sleep(PAUSE_MS);
  }
  const counts = Object.entries(deleted).map(([store, count]) => `${count} ${inWords(store)}`);
  return `Deleted: ${counts.join(", ") || "nothing"}.`;
}

/** `evaluationJobs` as "evaluation jobs". */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Watches an export for its last line and for the place where a cut one continues. */
class LastLine {
  isComplete = false;
  #rest = "";
  #cursor: string | undefined;

  async *watch(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const chunk of chunks) {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === '{"kind":"end"}') this.isComplete = true;
        if (line.startsWith('{"kind":"cursor"'))
          this.#cursor = String((JSON.parse(line) as { cursor: unknown }).cursor);
        yield `${line}\n`;
      }
    }
  }

  cutOff(cause: unknown): PlatformError {
    const how =
      this.#cursor === undefined
        ? "Start it again."
        : `Continue with --cursor ${this.#cursor}: lines since then repeat.`;
    const text = cause instanceof PlatformError ? cause.message : "The export was cut off.";
    return new PlatformError("SERVICE_UNAVAILABLE", `${text} ${how}`, { cause });
  }
}

function searchOf(members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
