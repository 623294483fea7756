import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { artifactConfigSchema } from "#services/artifact/config.ts";
import { evalConfigSchema } from "#services/eval/config.ts";
import { gatewayProcessConfigSchema } from "#services/gateway/config.ts";
import { memoryConfigSchema } from "#services/memory/config.ts";
import { runnerProcessConfigSchema } from "#services/runner/config.ts";
import { sessionConfigSchema } from "#services/session/config.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { loadConfig } from "#shared/config/load-config.ts";

const SCHEMAS = {
  gateway: gatewayProcessConfigSchema,
  runner: runnerProcessConfigSchema,
  session: sessionConfigSchema,
  artifact: artifactConfigSchema,
  memory: memoryConfigSchema,
  eval: evalConfigSchema,
};
const KNOWN = new Set(Object.values(SCHEMAS).flatMap((schema) => settingsOf(schema).map(({ name }) => name)));
/** Keys of models, which the adapters of providers read. */
const KEYS = ["GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
}

function read(name: string): ComposeFile {
  // A file of this folder.
  return parse(readFileSync(new URL(name, import.meta.url), "utf8"), { merge: true }) as ComposeFile;
}

/** The service's environment in the files, of which later ones replace settings. Variables have their defaults. */
function environmentOf(files: readonly ComposeFile[], name: string): Readonly<Record<string, string>> {
  const settings = files.flatMap(({ services }) => Object.entries(services[name]?.environment ?? {}));
  return Object.fromEntries(settings.map(([key, value]) => [key, value.replaceAll(/\$\{\w+:-(\w*)\}/g, "$1")]));
}

describe.each([
  ["compose.yaml", []],
  ["compose.yaml", ["compose.postgres.yaml"]],
])("%s with %j", (first, others) => {
  const files = [first, ...others].map(read);

  it.each(Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[])("starts the %s with settings that it accepts", (name) => {
    const environment = environmentOf(files, name);
    expect(() => loadConfig(SCHEMAS[name], environment)).not.toThrow();
    expect(Object.keys(environment).filter((setting) => !KNOWN.has(setting) && !KEYS.includes(setting))).toEqual([]);
  });

  it("has all volumes that its services name", () => {
    const services = files.flatMap((file) => Object.values(file.services));
    const named = services
      .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0] ?? ""))
      .filter((volume) => /^\w+$/.test(volume));
    expect(named.sort()).toEqual(files.flatMap(({ volumes = {} }) => Object.keys(volumes)).sort());
  });
});

it("compose.postgres.yaml keeps everything but artifacts and credentials in Postgres, and starts no emulator", () => {
  const own = read("compose.postgres.yaml");
  const files = [read("compose.yaml"), own];
  const stores = Object.keys(SCHEMAS).flatMap((name) =>
    Object.entries(environmentOf(files, name)).flatMap(([setting, store]) =>
      setting.endsWith("_STORE") ? [`${setting} ${store}`] : [],
    ),
  );
  expect(stores.sort()).toEqual([
    "ARTIFACT_STORE files",
    "CREDENTIAL_STORE sqlite",
    "EVAL_STORE postgres",
    "MEMORY_STORE postgres",
    "SESSION_STORE postgres",
  ]);
  const left = Object.entries(own.services).flatMap(([name, { profiles }]) => (profiles === undefined ? [] : [name]));
  expect(left).toEqual(["firestore", "storage"]);
});
