import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import { GatewayClient, type ServerCommand } from "../gateway/gateway-client.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "../read-url.ts";
import { readLimit, readTyped, type TypedOptions, unknownAction } from "../typed-options.ts";

const OPTIONS = {
  url: { type: "string" },
  to: { type: "string" },
  app: { type: "string", multiple: true },
  user: { type: "string" },
  name: { type: "string" },
  event: { type: "string", multiple: true },
  secret: { type: "string" },
  on: { type: "boolean" },
  off: { type: "boolean" },
  state: { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean" },
} as const;

type Options = TypedOptions<typeof OPTIONS>;

const ACTIONS = ["list", "show", "create", "update", "delete", "rotate", "test", "deliveries", "replay"] as const;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;
/** The server's largest page. */
const MAX_PAGE = 100;

/** A webhook of the server's answer, whose schema is part of its API description. */
interface WireWebhook {
  readonly id: string;
  readonly url: string;
  readonly name?: string;
  readonly events: readonly string[];
  readonly apps?: readonly string[];
  readonly userId?: string;
  readonly enabled: boolean;
  readonly disabledReason?: string;
  readonly secret?: string;
}

/** A delivery of the server's answer. */
interface WireDelivery {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly createdTime: number;
  readonly nextTime?: number;
  readonly problem?: string;
}

/**
 * Returns the output of `fairlead webhooks`: the webhooks of a server, their deliveries, or the outcome of a change. Throws
 * `UsageError` for wrong arguments, `PlatformError` for refusals of the server.
 */
export async function webhooks({ typed, defaultUrl, credentials }: ServerCommand): Promise<string> {
  const { words, options } = readTyped(typed, OPTIONS);
  const [action = "list", word, delivery, ...rest] = words;
  const client = new GatewayClient(readUrl(options.url ?? (defaultUrl || DEFAULT_URL)), credentials);
  const shown = (answer: unknown, text: () => string) =>
    options.json === true ? JSON.stringify(answer, null, 2) : text();
  if (!ACTIONS.some((known) => known === action)) throw unknownAction("webhooks", action, ACTIONS);
  const wanted = { list: 0, create: 1, replay: 2 }[action] ?? 1;
  if (words.length - 1 > wanted || (wanted > 0 && word === undefined) || (wanted > 1 && !delivery) || rest.length > 0)
    throw new UsageError(`Usage: fairlead webhooks ${USAGE[action] ?? `${action} <webhook>`}`);
  if (action === "list") {
    const found = await list<WireWebhook>(client, "/v1/webhooks", "webhooks", options);
    return shown(found, () => webhookTable(found));
  }
  if (action === "create") {
    const made = await send<WireWebhook>(client, "/v1/webhooks", "POST", { ...bodyOf(options), url: word ?? "" });
    return shown(made, () => `Webhook ${made.id} is made. Its secret, shown this once: ${made.secret}`);
  }
  const path = `/v1/webhooks/${encodeURIComponent(word ?? "")}`;
  switch (action) {
    case "update": {
      const changed = await send<WireWebhook>(client, path, "PATCH", bodyOf(options));
      return shown(changed, () => `Webhook ${word} is changed, and is ${changed.enabled ? "on" : "off"}.`);
    }
    case "delete":
      await client.call(path, "DELETE");
      return `Webhook ${word} is deleted.`;
    case "rotate": {
      const body = present({ secret: options.secret }) as JsonObject;
      const rotated = await send<WireWebhook>(client, `${path}/rotate`, "POST", body);
      return shown(rotated, () => `Webhook ${word} has a new secret, shown this once: ${rotated.secret}`);
    }
    case "deliveries": {
      const found = await list<WireDelivery>(client, `${path}/deliveries`, "deliveries", options);
      return shown(found, () => deliveryTable(found));
    }
    case "test": {
      const sent = (await client.call(`${path}/test`, "POST")) as WireDelivery;
      return shown(sent, () => `The message ${sent.id} is sent: fairlead webhooks deliveries ${word}`);
    }
    case "replay": {
      const again = await client.call(`${path}/deliveries/${encodeURIComponent(delivery ?? "")}/replay`, "POST");
      return shown(again, () => `The message ${delivery} is sent again: fairlead webhooks deliveries ${word}`);
    }
    default:
      return JSON.stringify(await client.call(path), null, 2);
  }
}

const USAGE: Readonly<Record<string, string>> = {
  list: "[list] [--limit …] [--json]",
  create: "create <address> [--app <app> …] [--user <user>] [--event <type> …] [--name <text>] [--secret <secret>]",
  update: "update <webhook> [--to <address>] [--app <app> …] [--user <user>] [--event <type> …] [--on | --off]",
  replay: "replay <webhook> <delivery>",
};

/** The form of the answer is part of the server's API description. */
async function send<Answer>(
  client: GatewayClient,
  path: string,
  method: "POST" | "PATCH",
  body: JsonObject,
): Promise<Answer> {
  return (await client.call(path, method, { body })) as Answer;
}

async function list<Item>(
  client: GatewayClient,
  path: string,
  member: "webhooks" | "deliveries",
  { limit: given, state }: Options,
): Promise<readonly Item[]> {
  const limit = readLimit(given, DEFAULT_LIMIT, MAX_LIMIT);
  const found: Item[] = [];
  const pages = allPages(async (place) => {
    const pageSize = String(Math.min(MAX_PAGE, limit - found.length));
    const search = new URLSearchParams(present({ pageSize, state, ...place }));
    return (await client.call(`${path}?${search}`)) as Readonly<Record<typeof member, readonly Item[]>> & {
      nextPageToken?: string;
    };
  });
  for await (const page of pages) {
    found.push(...page[member]);
    if (found.length >= limit) break;
  }
  return found;
}

function bodyOf({ to, app, user, name, event, secret, on, off }: Options): JsonObject {
  if (on === true && off === true) throw new UsageError("Give either --on or --off.");
  const enabled = on === true || off === true ? on === true : undefined;
  return present({ url: to, apps: app, userId: user, name, events: event, secret, enabled }) as JsonObject;
}

const WEBHOOK_HEAD = ["WEBHOOK", "TO", "APPS", "USER", "EVENTS", "STATE", "NAME"] as const;

function webhookTable(found: readonly WireWebhook[]): string {
  if (found.length === 0) return "No webhooks.";
  const rows = found.map(({ id, url, apps, userId = "all", events, enabled, disabledReason, name = "" }) => {
    const state = enabled ? "on" : ["off", disabledReason].filter(Boolean).join(" ");
    return [id, url, apps?.join(",") ?? "all", userId, events.join(","), state, name];
  });
  return textTable([WEBHOOK_HEAD, ...rows]);
}

const DELIVERY_HEAD = ["DELIVERY", "TYPE", "STATE", "ATTEMPTS", "CREATED", "NEXT", "PROBLEM"] as const;

function deliveryTable(found: readonly WireDelivery[]): string {
  if (found.length === 0) return "No deliveries.";
  const rows = found.map(({ id, type, state, attempts, createdTime, nextTime, problem = "" }) => {
    const next = nextTime === undefined ? "-" : toIsoTime(nextTime);
    return [id, type, state, String(attempts), toIsoTime(createdTime), next, problem];
  });
  return textTable([DELIVERY_HEAD, ...rows]);
}
