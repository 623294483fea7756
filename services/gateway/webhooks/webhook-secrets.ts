import type * as Yaml from "yaml";
import { YamlReader } from "#shared/quota/yaml-reader.ts";
import { WatchedFile } from "#shared/security/watched-file.ts";
import type { GatewayDeps } from "../deps.ts";
import { isSecret } from "./sign-webhook.ts";

type YamlModule = Pick<typeof Yaml, "LineCounter" | "parseDocument">;

const SETTING = "WEBHOOK_SECRETS_FILE";

/** The secrets that definitions of apps name. Throws `CONFIGURATION` if the file cannot be used at the start. */
export async function openWebhookSecrets({
  config,
  clock,
  logger,
}: Pick<GatewayDeps, "config" | "clock" | "logger">): Promise<() => ReadonlyMap<string, string>> {
  const path = config.WEBHOOK_SECRETS_FILE;
  if (path === "") return () => new Map();
  const yaml = await import("yaml");
  const parse = (text: string) => readWebhookSecrets(yaml, text);
  const file = new WatchedFile({ path, setting: SETTING, parse, clock, logger });
  return () => file.content;
}

/** Throws `CONFIGURATION` with each fault and its line. No message has a value. */
export function readWebhookSecrets(yaml: YamlModule, text: string): ReadonlyMap<string, string> {
  const reader = new YamlReader(yaml, text, SETTING);
  const secrets = new Map<string, string>();
  const { root } = reader;
  if (typeof root !== "object" || root === null || Array.isArray(root))
    reader.problem([], "must be a map of names and secrets.");
  else
    for (const [name, secret] of Object.entries(root)) {
      if (typeof secret === "string" && isSecret(secret)) secrets.set(name, secret);
      else reader.problem([name], "must be `whsec_` and the base64 of 24 to 64 bytes.");
    }
  reader.assertValid();
  return secrets;
}
