import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { openFront, portOf } from "./request-front.ts";
import { scenarioAgents } from "./scenario-agents.ts";

/** The server under test of the conformance suite: one process that offers the agents which the scenarios call. */
const dataDir = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
const config = loadConfig(standaloneConfigSchema, {
  HOST: "127.0.0.1",
  PORT: "0",
  DATA_DIR: dataDir,
  SESSION_STORE: "memory",
  DEV_UI: "false",
  MCP_APPS: "*",
});
const apps = scenarioAgents().map((rootAgent) => createApp({ name: rootAgent.name, rootAgent }));
const agentLoader = new StaticAgentLoader(apps);
const server = await createStandalone({ config, agentLoader, logger: new RecordingLogger() });
const front = await openFront(portOf(server.gateway.server));
process.stdout.write(`http://127.0.0.1:${portOf(front)}/mcp\n`);
process.once("SIGTERM", async () => {
  front.close();
  front.closeAllConnections();
  await server[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
});
