import { toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import { GatewayClient, type ServerCommand } from "../gateway/gateway-client.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "../read-url.ts";
import { readLimit, readTyped, type TypedOptions, unknownAction } from "../typed-options.ts";

const OPTIONS = {
  url: { type: "string" },
  app: { type: "string" },
  user: { type: "string" },
  name: { type: "string" },
  cron: { type: "string" },
  zone: { type: "string" },
  at: { type: "string" },
  session: { type: "string" },
  state: { type: "string" },
  overlap: { type: "string" },
  "catch-up": { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean" },
} as const;

type Options = TypedOptions<typeof OPTIONS>;

const ACTIONS = ["list", "show", "create", "pause", "resume", "trigger", "delete"] as const;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;
/** The server's largest page. */
const MAX_PAGE = 100;

/** A schedule of the server's answer, whose schema is part of its API description. */
interface WireSchedule {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly name?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly enabled: boolean;
  readonly nextTime?: number;
  readonly lastTicks: readonly { readonly time: number; readonly outcome: string; readonly reason?: string }[];
}

/**
 * Returns the output of `fairlead schedules`: the schedules of a server, or what became of a change. Throws `UsageError`
 * for wrong arguments, `PlatformError` for refusals of the server.
 */
export async function schedules({ typed, defaultUrl, credentials }: ServerCommand): Promise<string> {
  const { words, options } = readTyped(typed, OPTIONS);
  const [action = "list", word, ...rest] = words;
  const client = new GatewayClient(readUrl(options.url ?? (defaultUrl || DEFAULT_URL)), credentials);
  const isJson = options.json === true;
  if (action === "list") {
    if (word !== undefined)
      throw new UsageError("Usage: fairlead schedules [list] [--app …] [--user …] [--limit …] [--json]");
    const found = await list(client, options);
    return isJson ? JSON.stringify(found, null, 2) : scheduleTable(found);
  }
  if (!ACTIONS.some((known) => known === action)) throw unknownAction("schedules", action, ACTIONS);
  if (word === undefined || rest.length > 0)
    throw new UsageError(
      action === "create"
        ? 'Usage: fairlead schedules create "<message>" --app <app> --user <user> --cron "<fields>" [--zone <zone>], or --at <time>'
        : `Usage: fairlead schedules ${action} <schedule>`,
    );
  if (action === "create") {
    const made = (await client.call("/v1/schedules", "POST", { body: bodyOf(word, options) })) as WireSchedule;
    return isJson ? JSON.stringify(made, null, 2) : `Schedule ${made.id} ${nextText(made)}.`;
  }
  const path = `/v1/schedules/${encodeURIComponent(word)}`;
  if (action === "show") return JSON.stringify(await client.call(path), null, 2);
  if (action === "delete") {
    await client.call(path, "DELETE");
    return `Schedule ${word} is deleted.`;
  }
  const answer = await client.call(`${path}/${action}`, "POST");
  if (isJson) return JSON.stringify(answer, null, 2);
  // The forms of both answers are part of the server's API description.
  if (action === "trigger") return `Schedule ${word} has started the run ${(answer as { runId: string }).runId}.`;
  return `Schedule ${word} ${nextText(answer as WireSchedule)}.`;
}

async function list(client: GatewayClient, { app, user, limit: given }: Options): Promise<readonly WireSchedule[]> {
  const limit = readLimit(given, DEFAULT_LIMIT, MAX_LIMIT);
  const found: WireSchedule[] = [];
  const pages = allPages(async (place) => {
    const pageSize = String(Math.min(MAX_PAGE, limit - found.length));
    const search = new URLSearchParams(present({ appName: app, userId: user, pageSize, ...place }));
    return (await client.call(`/v1/schedules?${search}`)) as {
      schedules: readonly WireSchedule[];
      nextPageToken?: string;
    };
  });
  for await (const page of pages) {
    found.push(...page.schedules);
    if (found.length >= limit) break;
  }
  return found;
}

function bodyOf(text: string, options: Options): JsonObject {
  const { app, user, name, cron, zone, at, session, state, overlap } = options;
  if (user === undefined) throw new UsageError("--user is missing: name the user for whom the schedule runs.");
  if ((cron === undefined) === (at === undefined))
    throw new UsageError('Give either --cron "0 9 * * MON-FRI" or --at 2027-01-31T09:00:00Z.');
  return present({
    ...{ appName: app, userId: user, name, cron, timeZone: zone, at, text, sessionId: session },
    ...{ stateDelta: state === undefined ? undefined : stateIn(state), overlap, catchUp: options["catch-up"] },
  }) as JsonObject;
}

function stateIn(text: string): JsonObject {
  try {
    const state = JSON.parse(text) as JsonValue;
    if (isJsonObject(state)) return state;
  } catch {
    // Answered below.
  }
  throw new UsageError("--state needs a JSON object.");
}

function nextText({ enabled, nextTime }: WireSchedule): string {
  if (!enabled) return "is paused";
  return nextTime === undefined ? "has no further tick" : `ticks next at ${toIsoTime(nextTime)}`;
}

const HEAD = ["SCHEDULE", "APP", "USER", "WHEN", "NEXT", "LAST", "NAME"] as const;

function scheduleTable(found: readonly WireSchedule[]): string {
  if (found.length === 0) return "No schedules.";
  const rows = found.map(
    ({ id, appName, userId, name = "", cron, timeZone, at = "", enabled, nextTime, lastTicks }) => {
      const [last] = lastTicks;
      const next = nextTime === undefined ? "-" : toIsoTime(nextTime);
      const when = cron === undefined ? at : `${cron} ${timeZone}`;
      const lastText = last === undefined ? "-" : [last.outcome, last.reason].filter(Boolean).join(" ");
      return [id, appName, userId, when, enabled ? next : "paused", lastText, name];
    },
  );
  return textTable([HEAD, ...rows]);
}
