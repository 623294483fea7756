import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DirectoryAgentLoader } from "#kit/definitions/directory-agent-loader.ts";
import { StaticAgentLoader } from "#kit/definitions/static-agent-loader.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/load-config.ts";
import { createLogger } from "#shared/logger.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { buildApps } from "./build-agents.ts";
import type { AgentsFile } from "./definition.ts";

// Serves the recorded agents with the settings of `npm start` and empty stores in memory, for the replay of the recordings.
// It has nothing to keep, so it just ends when it is told to.

/** What each profile of the recordings sets besides. */
const PROFILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  cors: { CORS_ORIGINS: "https://ok.example", AUTO_CREATE_SESSION: "true" },
  a2a: {},
  defaultapp: { DEFAULT_APP_NAME: "echo" },
};

const IN_MEMORY = { SESSION_STORE: "memory", ARTIFACT_STORE: "memory", MEMORY_STORE: "memory", EVAL_STORE: "memory" };

/** The recorded server allowed so many model calls a run. */
const MAX_LLM_CALLS = "8";

const { values: options } = parseArgs({
  options: { profile: { type: "string", default: "default" }, port: { type: "string", default: "8700" } },
});
const folder = process.env["REPLAY_DIR"];
const profile = PROFILES[options.profile];
if (folder === undefined || profile === undefined) {
  process.stderr.write(
    "Set REPLAY_DIR to the folder of recorded exchanges, and --profile to default, cors, a2a or defaultapp.\n",
  );
  process.exit(1);
}

// The file is the recordings' own; a wrong one shows at once, in the agents that it makes.
const definitions = JSON.parse(readFileSync(join(folder, "agents.json"), "utf8")) as AgentsFile;
const samples = new DirectoryAgentLoader({ directory: join(REPOSITORY_ROOT, "agents"), hotReload: false });
const { app: bench } = await samples.loadAgent("bench");
const apps = [...buildApps(definitions), bench];
const config = loadConfig(standaloneConfigSchema, {
  ...IN_MEMORY,
  MAX_LLM_CALLS,
  LOG_LEVEL: "error",
  ...profile,
  PORT: options.port,
});
const { logger } = await createLogger({ level: config.LOG_LEVEL, format: config.LOG_FORMAT });
const standalone = await createStandalone({ config, logger, agentLoader: new StaticAgentLoader(apps) });
process.stdout.write(`${standalone.url}\n`);
