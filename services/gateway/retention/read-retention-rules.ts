import type * as Yaml from "yaml";
import { isTenantId } from "#kit/names/tenant.ts";
import { type YamlPath, YamlReader } from "#shared/quota/yaml-reader.ts";
import {
  MAX_DAYS,
  MIN_DAYS,
  RETAINED,
  RETAINED_KINDS,
  type RetainedKind,
  type RetentionOverride,
  type RetentionRules,
  type TimesToLive,
} from "./retention-rules.ts";

type YamlModule = Pick<typeof Yaml, "LineCounter" | "parseDocument">;

const MAX_OVERRIDES = 1000;
const MAX_NAME_LENGTH = 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Keeps data for ever, against a default. */
const KEEP = "keep";
const MEMBERS = RETAINED_KINDS.map((kind) => RETAINED[kind]);

/** Reads the text of the file that RETENTION_FILE names. Throws `CONFIGURATION` with each fault and its line. */
export function readRetentionRules(yaml: YamlModule, text: string): RetentionRules {
  const reader = new YamlReader(yaml, text, "RETENTION_FILE");
  const root = reader.object([], reader.root, ["defaults", "overrides"]);
  const defaults = readTimes(reader, ["defaults"], reader.object(["defaults"], root["defaults"], MEMBERS));
  const rules = { defaults, overrides: readOverrides(reader, root["overrides"]) };
  reader.assertValid();
  return rules;
}

function readOverrides(reader: YamlReader, value: unknown): readonly RetentionOverride[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    reader.problem(["overrides"], "must be a list.");
    return [];
  }
  if (value.length > MAX_OVERRIDES) {
    reader.problem(["overrides"], `has more than ${MAX_OVERRIDES} entries: use patterns.`);
    return [];
  }
  return value.map((item: unknown, index) => readOverride(reader, ["overrides", index], item));
}

function readOverride(reader: YamlReader, path: YamlPath, value: unknown): RetentionOverride {
  const item = reader.object(path, value, ["tenant", "app", ...MEMBERS]);
  const read = (name: "tenant" | "app"): string | undefined => {
    const text = item[name];
    if (text === undefined) return undefined;
    if (typeof text === "string" && text !== "" && text.length <= MAX_NAME_LENGTH) return text;
    reader.problem([...path, name], "must be a name in quotes.");
    return undefined;
  };
  const [tenantId, appName] = [read("tenant"), read("app")];
  if (tenantId !== undefined && !isTenantId(tenantId))
    reader.problem([...path, "tenant"], "is not a name of a tenant.");
  if (item["tenant"] === undefined && item["app"] === undefined)
    reader.problem(path, "names nothing: give one of tenant and app, or change the defaults.");
  const times = readTimes(reader, path, item);
  if (Object.keys(times).length === 0) reader.problem(path, `sets nothing: give one of ${MEMBERS.join(", ")}.`);
  return { tenantId, appName, times };
}

function readTimes(reader: YamlReader, path: YamlPath, given: Readonly<Record<string, unknown>>): TimesToLive {
  const times: Partial<Record<RetainedKind, number>> = {};
  for (const kind of RETAINED_KINDS) {
    const days = given[RETAINED[kind]];
    if (days === undefined) continue;
    if (days === KEEP) times[kind] = Number.POSITIVE_INFINITY;
    else if (typeof days === "number" && days >= MIN_DAYS[kind] && days <= MAX_DAYS) times[kind] = days * DAY_MS;
    else reader.problem([...path, RETAINED[kind]], `must be days from ${MIN_DAYS[kind]} to ${MAX_DAYS}, or ${KEEP}.`);
  }
  return times;
}
