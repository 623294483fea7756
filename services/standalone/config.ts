import { Type } from "typebox";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import type { ConfigOf } from "#shared/config-schema.ts";
import { otlpConfigSchema } from "#shared/otlp-settings.ts";
import { processConfigSchema } from "#shared/process-settings.ts";

const storesConfigSchema = Type.Object({
  AGENTS_DIR: Type.String({ default: "agents", description: "Folder with one folder or file for each app." }),
  HOT_RELOAD: Type.Boolean({ default: true, description: "Load YAML agents anew when their files change." }),
  DATA_DIR: Type.String({
    default: ".data",
    description: "Folder for sessions, artifacts, memory and evaluation sets; one server at a time.",
  }),
  SESSION_STORE: Type.Union([Type.Literal("sqlite"), Type.Literal("memory")], {
    default: "sqlite",
    description: "Where sessions and runs are kept.",
  }),
  ARTIFACT_STORE: Type.Union([Type.Literal("files"), Type.Literal("memory")], {
    default: "files",
    description: "Where artifacts are kept.",
  }),
  MEMORY_STORE: Type.Union([Type.Literal("sqlite"), Type.Literal("memory")], {
    default: "sqlite",
    description: "Where agents' long-term memory is kept.",
  }),
  EVAL_STORE: Type.Union([Type.Literal("files"), Type.Literal("memory")], {
    default: "files",
    description: "Where evaluation sets and results are kept.",
  }),
});

/** All settings of the server in one process. */
export const standaloneConfigSchema = Type.Object({
  ...gatewayConfigSchema.properties,
  ...storesConfigSchema.properties,
  ...runnerConfigSchema.properties,
  ...processConfigSchema.properties,
  ...otlpConfigSchema.properties,
});

export type StandaloneConfig = ConfigOf<typeof standaloneConfigSchema>;
