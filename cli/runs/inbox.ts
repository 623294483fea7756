import type { Clock } from "#kit/platform/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import { GatewayClient, type ServerCommand } from "../gateway/gateway-client.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "../read-url.ts";
import { readLimit, readTyped, type TypedOptions, unknownAction } from "../typed-options.ts";
import { ageText } from "./runs-table.ts";

const OPTIONS = {
  url: { type: "string" },
  app: { type: "string" },
  user: { type: "string" },
  limit: { type: "string" },
  payload: { type: "string" },
  question: { type: "string" },
  "take-over": { type: "boolean" },
  json: { type: "boolean" },
} as const;

type Options = TypedOptions<typeof OPTIONS>;

const ACTIONS = ["list", "approve", "reject", "answer", "claim", "release"] as const;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;
/** The server's largest page. */
const MAX_PAGE = 50;

export interface InboxCommand extends ServerCommand {
  readonly clock: Clock;
}

/** An entry of the server's answer, whose schema is part of its API description. */
interface WireEntry {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly waitingSince: number;
  readonly expiresAt?: number;
  readonly claim?: WireClaim;
  readonly questions: readonly WireQuestion[];
  readonly questionsLeft?: number;
}

interface WireClaim {
  readonly by: string;
  readonly since: number;
  readonly until: number;
}

interface WireQuestion {
  readonly id: string;
  readonly kind: string;
  readonly tool: string;
  readonly args?: JsonObject;
  readonly reason?: string;
}

/**
 * Returns the output of `fairlead inbox`: what waits for people, or what became of an answer. Throws `UsageError` for
 * wrong arguments, `PlatformError` for refusals of the server.
 */
export async function inbox({ typed, defaultUrl, credentials, clock }: InboxCommand): Promise<string> {
  const { words, options } = readTyped(typed, OPTIONS);
  const [action = "list", id, ...rest] = words;
  const client = new GatewayClient(readUrl(options.url ?? (defaultUrl || DEFAULT_URL)), credentials);
  if (action === "list") {
    if (id !== undefined)
      throw new UsageError("Usage: fairlead inbox [list] [--app …] [--user …] [--limit …] [--json]");
    const entries = await list(client, options);
    return options.json === true ? JSON.stringify(entries, null, 2) : inboxTable(entries, clock.now());
  }
  if (!ACTIONS.some((known) => known === action)) throw unknownAction("inbox", action, ACTIONS);
  if (id === undefined || rest.length !== (action === "answer" ? 1 : 0))
    throw new UsageError(`Usage: fairlead inbox ${action} <entry>${action === "answer" ? " <text or json>" : ""}`);
  const [given = ""] = rest;
  const place = `/v1/inbox/${encodeURIComponent(id)}`;
  const takeOver: JsonObject = options["take-over"] === true ? { takeOver: true } : {};
  if (action === "claim") return claim(client, place, { takeOver, clock, asJson: options.json === true });
  if (action === "release") {
    await client.call(`${place}/claim`, "DELETE");
    return `Entry ${id} is free.`;
  }
  const answer =
    action === "answer" ? await answerTo(client, id, given, options) : decision(action === "approve", options);
  const run = (await client.call(place, "POST", { body: { ...answer, ...takeOver } })) as {
    readonly runId: string;
  };
  return options.json === true ? JSON.stringify(run, null, 2) : `Answered by run ${run.runId}.`;
}

interface ClaimCall {
  readonly takeOver: JsonObject;
  readonly clock: Clock;
  readonly asJson: boolean;
}

async function claim(client: GatewayClient, place: string, { takeOver, clock, asJson }: ClaimCall): Promise<string> {
  const made = (await client.call(`${place}/claim`, "POST", { body: takeOver })) as WireClaim;
  return asJson ? JSON.stringify(made, null, 2) : `Claimed by ${made.by} for ${ageText(made.until - clock.now())}.`;
}

async function list(client: GatewayClient, { app, user, limit: given }: Options): Promise<readonly WireEntry[]> {
  const limit = readLimit(given, DEFAULT_LIMIT, MAX_LIMIT);
  const entries: WireEntry[] = [];
  const pages = allPages(async (place) => {
    const pageSize = String(Math.min(MAX_PAGE, limit - entries.length));
    const search = new URLSearchParams(present({ appName: app, userId: user, pageSize, ...place }));
    return (await client.call(`/v1/inbox?${search}`)) as { entries: readonly WireEntry[]; nextPageToken?: string };
  });
  for await (const page of pages) {
    entries.push(...page.entries);
    if (entries.length >= limit) break;
  }
  return entries;
}

function decision(confirmed: boolean, { payload }: Options): JsonObject {
  if (payload === undefined) return { confirmed };
  const value = parsed(payload);
  if (value === undefined) throw new UsageError("--payload needs JSON.");
  return { confirmed, payload: value };
}

/** The run is read for the id of its only question, unless it is given. */
async function answerTo(client: GatewayClient, id: string, given: string, { question }: Options): Promise<JsonObject> {
  const value = parsed(given);
  const response = isJsonObject(value) ? value : { result: given };
  if (question !== undefined) return { answers: { [question]: response } };
  const { questions } = (await client.call(`/v1/inbox/${encodeURIComponent(id)}`)) as WireEntry;
  const [only, ...others] = questions;
  if (only !== undefined && others.length > 0)
    throw new UsageError(
      `The entry has ${questions.length} questions: name one with --question, as "inbox --json" shows them.`,
    );
  return { answers: only === undefined ? {} : { [only.id]: response } };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const HEAD = ["ENTRY", "AGE", "ENDS IN", "CLAIMED BY", "APP", "USER", "ASKS", "REASON"] as const;
const MAX_ASKED = 80;

function inboxTable(entries: readonly WireEntry[], now: number): string {
  if (entries.length === 0) return "Nothing waits.";
  const rows = entries.flatMap(({ id, appName, userId, waitingSince, expiresAt, claim: held, questions }) =>
    questions.map((question) => [
      ...[id, ageText(now - waitingSince), expiresAt === undefined ? "" : ageText(Math.max(0, expiresAt - now))],
      ...[held?.by ?? "", appName, userId, askedOf(question), question.reason ?? ""],
    ]),
  );
  return textTable([HEAD, ...rows]);
}

function askedOf({ kind, tool, args }: WireQuestion): string {
  const call = args === undefined ? tool : `${tool}(${JSON.stringify(args)})`;
  const asked = kind === "confirmation" ? `approve ${call}` : call;
  return asked.length <= MAX_ASKED ? asked : `${asked.slice(0, MAX_ASKED - 1)}…`;
}
