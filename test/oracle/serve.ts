import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { openAgents } from "#services/standalone/run-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { settingsOfProfile } from "./profiles.ts";
import { writeAgents } from "./write-agents.ts";

// Serves the recorded agents with the settings of `npm start` and empty stores in memory, for the replay of the
// recordings. Only the folder of agents is temporary, so the process ends without a drain.

const IN_MEMORY = {
  SESSION_STORE: "memory",
  ARTIFACT_STORE: "memory",
  MEMORY_STORE: "memory",
  EVAL_STORE: "memory",
  CREDENTIAL_STORE: "memory",
};

const { values: options } = parseArgs({
  options: { profile: { type: "string", default: "default" }, port: { type: "string", default: "8700" } },
});
const folder = process.env["REPLAY_DIR"];
const settings = settingsOfProfile(options.profile);
if (folder === undefined || settings === undefined) {
  process.stderr.write(
    "Set REPLAY_DIR to the folder of recorded exchanges, and --profile to default, cors, a2a or defaultapp.\n",
  );
  process.exit(1);
}

const agents = writeAgents(folder);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    rmSync(agents, { recursive: true, force: true });
    process.exit();
  });
}
const config = loadConfig(standaloneConfigSchema, {
  ...IN_MEMORY,
  ...settings,
  AGENTS_DIR: agents,
  PORT: options.port,
});
const { logger } = await createLogger({ level: config.LOG_LEVEL, format: config.LOG_FORMAT });
const standalone = await createStandalone({ config, logger, ...(await openAgents(config, logger)) });
process.stdout.write(`${standalone.url}\n`);
