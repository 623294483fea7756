import { type Shape, Type } from "#kit/schema/shape.ts";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { agentsConfigSchema } from "#shared/agents/agents-settings.ts";
import { type ConfigValues, configFromObject } from "#shared/config/config-from-object.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { type Environment, loadConfig } from "#shared/config/load-config.ts";
import { otlpConfigSchema } from "#shared/otlp/otlp-settings.ts";
import { processConfigSchema } from "#shared/process/process-settings.ts";
import { type StandaloneConfig, standaloneConfigSchema } from "./config.ts";
import { errorDetailConfigSchema } from "./error-detail.ts";

const { DEV_UI, CONSOLE } = gatewayConfigSchema.properties;
const { METRICS_EXEMPLARS, SHUTDOWN_DRAIN_MS } = processConfigSchema.properties;

/** The settings of a server inside a program: those of the server in one process, without stores, logs and Redis. */
export const serverConfigSchema = Type.Object({
  ...gatewayConfigSchema.properties,
  // Off by default, so that a program shows only the pages that it asks for.
  DEV_UI: offByDefault(DEV_UI),
  CONSOLE: offByDefault(CONSOLE),
  ...agentsConfigSchema.properties,
  ...runnerConfigSchema.properties,
  METRICS_EXEMPLARS,
  SHUTDOWN_DRAIN_MS,
  ...otlpConfigSchema.properties,
  ...errorDetailConfigSchema.properties,
});

/** The same shape by name: the declarations of the package cannot describe a copy of its members. */
function offByDefault<Setting extends Shape>(setting: Setting): Setting {
  return { ...setting, default: false };
}

/** Settings by their names in the environment, as values of their types. All of them may be left out. */
export type ServerConfig = ConfigValues<typeof serverConfigSchema>;

/** What no setting chooses in a program: it passes objects. */
const IN_MEMORY = {
  SESSION_STORE: "memory",
  ARTIFACT_STORE: "memory",
  MEMORY_STORE: "memory",
  EVAL_STORE: "memory",
  CREDENTIAL_STORE: "memory",
  KEY_STORE: "memory",
  TRANSPORT: "memory",
} as const;

/** The complete settings, and all problems of those that were given. */
export function readServerConfig(given: ServerConfig): {
  readonly config: StandaloneConfig;
  readonly problems: readonly string[];
} {
  const { config, problems } = configFromObject(serverConfigSchema, given, elsewhere);
  return { config: { ...defaultsOf(standaloneConfigSchema), ...IN_MEMORY, ...config }, problems };
}

/**
 * The settings that an environment such as `process.env` sets, each as text, and secrets from files. Variables that are
 * no settings of a server in a program are left out. Throws `CONFIGURATION` with all wrong ones.
 */
export function serverConfigFrom(environment: Environment): ServerConfig {
  const isSet = (name: string): boolean => (environment[name] ?? "").trim() !== "";
  const config = Object.entries(loadConfig(serverConfigSchema, environment));
  return Object.fromEntries(config.filter(([name]) => isSet(name) || isSet(`${name}_FILE`)));
}

/** Settings that a program gives in another way. */
function elsewhere(name: string): string | undefined {
  if (!Object.hasOwn(standaloneConfigSchema.properties, name)) return undefined;
  if (name.startsWith("LOG_")) return `${name} is not a setting of a server in a program: pass a \`logger\`.`;
  if (name.startsWith("REDIS_") || name === "TRANSPORT")
    return `${name} is not a setting of a server in a program: pass a \`runStream\`.`;
  if (name === "SHUTDOWN_GRACE_MS")
    return `${name} is not a setting of a server in a program: wait before you close the server.`;
  return `${name} is not a setting of a server in a program: pass \`stores\`.`;
}
