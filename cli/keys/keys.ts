import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { KeyRecord, KeyStore } from "#ports/api-keys/key-store.ts";
import { createKey } from "#services/gateway/identity/keys/create-key.ts";
import { toWireKey, type WireKey } from "#services/gateway/identity/keys/wire-key.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";
import { ageText } from "../runs/runs-table.ts";
import { readKeyRequest } from "./key-flags.ts";

const KEY_ACTIONS = ["create", "list", "revoke"] as const;

export interface KeysCommand {
  readonly action: string | undefined;
  /** The words after the action. */
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/**
 * Returns the output of `fairlead keys …`, which works on the store that the settings name. A server may use it at the
 * same time. Throws `UsageError` for wrong arguments.
 */
export async function keys(command: KeysCommand): Promise<string> {
  const { action, words, config } = command;
  const run = action === undefined || !Object.hasOwn(ACTIONS, action) ? undefined : ACTIONS[action];
  if (run === undefined) throw unknownAction(action);
  if (words.length !== (action === "revoke" ? 1 : 0))
    throw new UsageError(
      action === "revoke" ? "Usage: fairlead keys revoke <key id>" : `Usage: fairlead keys ${action}`,
    );
  if (config.KEY_STORE === "memory")
    throw new UsageError("KEY_STORE is memory: its keys are in the server's process. Use POST /v1/keys of the server.");
  await using stack = new AsyncDisposableStack();
  // Awaited here: the store is closed when this function returns.
  return await run(await openKeyStore({ config, stack }), command);
}

type Action = (store: KeyStore, command: KeysCommand) => Promise<string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  create: async (store, { flags, clock, ids, config }) => {
    const { record, text } = createKey(readKeyRequest(flags), { clock, ids });
    await store.create(record);
    if (flags.has("--json")) return json({ ...toWireKey(record, clock.now()), key: text });
    const isOff = !config.AUTH.includes("api-key");
    const hint = isOff ? "\nA server accepts it with AUTH=api-key." : "";
    return `${text}\nThis is the only time that the key is shown. Its id is ${record.id}.${hint}`;
  },
  list: async (store, { flags, clock }) => {
    const found = (await allOf(store)).map((record) => toWireKey(record, clock.now()));
    return flags.has("--json") ? json(found) : keysTable(found, clock.now());
  },
  revoke: async (store, { words, flags, clock }) => {
    const [keyId = ""] = words;
    const revoked = /^[0-9a-z]{1,64}$/.test(keyId) ? await store.revoke(keyId, clock.now()) : undefined;
    if (revoked === undefined) throw new UsageError(`There is no key with the id ${keyId}: see fairlead keys list.`);
    if (flags.has("--json")) return json(toWireKey(revoked, clock.now()));
    return `Key ${keyId} (${revoked.name}) is revoked. Servers that run accept it for up to a minute.`;
  },
};

const PAGE = 500;

async function allOf(store: KeyStore): Promise<readonly KeyRecord[]> {
  const all: KeyRecord[] = [];
  for (;;) {
    const page = await store.list({ after: all.at(-1)?.id, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

const HEAD = ["KEY", "NAME", "STATUS", "TENANT", "USER", "APPS", "SCOPES", "AGE", "USED"] as const;

function keysTable(found: readonly WireKey[], now: number): string {
  if (found.length === 0) return "No keys.";
  const rows = found.map(
    ({ keyId, name, status, tenantId = "default", userId = "-", apps, scopes, createdTime, lastUsedTime }) => [
      ...[
        keyId,
        name,
        status,
        tenantId,
        userId,
        apps?.join(",") ?? "all",
        scopes.join(",") || "-",
        ageText(now - createdTime),
      ],
      lastUsedTime === undefined ? "never" : `${ageText(now - lastUsedTime)} ago`,
    ],
  );
  return textTable([HEAD, ...rows]);
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function unknownAction(word: string | undefined): UsageError {
  if (word === undefined) return new UsageError(`Usage: fairlead keys ${KEY_ACTIONS.join("|")}`);
  const hint = suggestion(word, KEY_ACTIONS) || `: use one of ${KEY_ACTIONS.join(", ")}.`;
  return new UsageError(`There is no command "keys ${word}"${hint}`);
}
