import { parseArgs } from "node:util";
import type { Clock } from "#kit/platform/clock.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { RUN_STATUSES } from "#kit/sessions/run-record.ts";
import { GatewayClient } from "../gateway/gateway-client.ts";
import { UsageError } from "../parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "../read-url.ts";
import { RunsClient, type RunsQuery, type WireRun } from "./runs-client.ts";
import { runsTable } from "./runs-table.ts";

const ACTIONS = ["list", "show", "cancel", "requeue"] as const;
type Action = (typeof ACTIONS)[number];

const OPTIONS = {
  url: { type: "string" },
  app: { type: "string" },
  user: { type: "string" },
  session: { type: "string" },
  status: { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean" },
} as const;

type Options = { readonly [Name in keyof typeof OPTIONS]?: string | boolean };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;

export interface RunsCommand {
  /** The arguments after `runs`. */
  readonly typed: readonly string[];
  /** The server if the arguments name none (FAIRLEAD_URL). */
  readonly defaultUrl: string | undefined;
  /** An API key or a token (FAIRLEAD_API_KEY); it has no flag, because other users of the machine see flags. */
  readonly credentials?: string | undefined;
  readonly clock: Clock;
}

/**
 * Returns the output of `fairlead runs …`. Throws `UsageError` for wrong arguments, `PlatformError` for refusals of
 * the server.
 */
export async function runs({ typed, defaultUrl, credentials, clock }: RunsCommand): Promise<string> {
  const { words, options } = parse(typed);
  const [action, ...ids] = words;
  const client = new RunsClient(new GatewayClient(readUrl(options.url ?? (defaultUrl || DEFAULT_URL)), credentials));
  const isJson = options.json === true;
  if (action === undefined || !isAction(action)) throw unknownAction(action);
  if (action === "list") {
    if (ids.length > 0) throw new UsageError("Usage: fairlead runs list [--app …] [--status …] [--limit …] [--json]");
    const found = await client.list(readQuery(options), readLimit(options.limit));
    return isJson ? JSON.stringify(found, null, 2) : runsTable(found, clock.now());
  }
  const [runId] = ids;
  if (runId === undefined || ids.length > 1) throw new UsageError(`Usage: fairlead runs ${action} <run id> [--json]`);
  const run = await client[action](runId);
  return isJson || action === "show" ? JSON.stringify(run, null, 2) : outcome(action, runId, run);
}

function outcome(action: Exclude<Action, "list" | "show">, runId: string, run: WireRun): string {
  if (action === "requeue") return `Run ${runId} is requeued as ${run.runId}, which is ${run.status}.`;
  return run.status === "pending" || run.status === "running"
    ? `Run ${runId} is asked to end.`
    : `Run ${runId} is ${run.status.replaceAll("_", " ")}.`;
}

function parse(typed: readonly string[]): { readonly words: readonly string[]; readonly options: Options } {
  try {
    const { positionals, values } = parseArgs({ args: [...typed], options: OPTIONS, allowPositionals: true });
    return { words: positionals, options: values };
  } catch (error) {
    // The messages name the flag and the problem.
    throw new UsageError(error instanceof Error ? (error.message.split(". ", 1)[0] ?? "") : String(error));
  }
}

function isAction(word: string): word is Action {
  return ACTIONS.some((action) => action === word);
}

function unknownAction(word: string | undefined): UsageError {
  if (word === undefined) return new UsageError(`Usage: fairlead runs ${ACTIONS.join("|")}`);
  const hint = suggestion(word, ACTIONS) || `: use one of ${ACTIONS.join(", ")}.`;
  return new UsageError(`There is no command "runs ${word}"${hint}`);
}

function readLimit(given: string | boolean | undefined): number {
  if (given === undefined) return DEFAULT_LIMIT;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit needs a whole number from 1 to ${MAX_LIMIT}.`);
}

function readQuery({ app, user, session, status }: Options): RunsQuery {
  if (session !== undefined && (app === undefined || user === undefined)) {
    throw new UsageError("The runs of a session need --app, --user and --session.");
  }
  if (status !== undefined && !RUN_STATUSES.some((known) => known === status)) {
    throw new UsageError(`--status needs one of ${RUN_STATUSES.join(", ")}.`);
  }
  return {
    appName: typeof app === "string" ? app : undefined,
    userId: typeof user === "string" ? user : undefined,
    sessionId: typeof session === "string" ? session : undefined,
    status: typeof status === "string" ? status : undefined,
  };
}
