import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { brief } from "./agent-world.ts";
import { RecordingLogger } from "./agents-folder.ts";

const APP = "app";
const SESSION = `/apps/${APP}/users/ada/sessions/talk`;

export interface ServerWorldOptions {
  readonly agent?: BaseAgent;
  readonly plugins?: readonly Plugin[];
  /** Replaces the app that serves `agent`. */
  readonly agentLoader?: AgentLoader;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface ServerWorld extends AsyncDisposable {
  readonly logger: RecordingLogger;
  /** Sends one message to the session, by `/run_sse` with chunks, or by `/run`. */
  say(message: string | readonly Part[], path?: "/run" | "/run_sse"): Promise<Answer>;
  send(method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<Answer>;
  /** The base address. */
  readonly url: string;
  /** A short form of the session's events. */
  stored(): Promise<readonly string[]>;
}

/** The server in one process with its sessions in SQLite, an app named `app`, and a session of it. */
export async function startServerWorld(options: ServerWorldOptions): Promise<ServerWorld> {
  const { agent, plugins = [], settings = {} } = options;
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "server-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const agentLoader =
    agent === undefined
      ? options.agentLoader
      : new StaticAgentLoader([createApp({ name: APP, rootAgent: agent, plugins })]);
  if (agentLoader === undefined) throw new Error("Give an agent or a loader.");
  const logger = new RecordingLogger();
  const config = loadConfig(standaloneConfigSchema, {
    PORT: "0",
    DATA_DIR: folder,
    DEV_UI: "false",
    // Answers and events then have the text of errors.
    ERROR_DETAIL: "full",
    ...settings,
  });
  const { gateway } = stack.use(await createStandalone({ config, agentLoader, logger }));
  const send: ServerWorld["send"] = async (method, url, body) => {
    const response = await gateway.inject({ method, url, ...(body !== undefined && { payload: body }) });
    return { status: response.statusCode, text: response.body };
  };
  await send("POST", SESSION);
  const owned = stack.move();
  return {
    logger,
    send,
    url: gateway.listeningOrigin,
    say: (message, path = "/run") => {
      const parts = typeof message === "string" ? [{ text: message }] : message;
      const newMessage = { role: "user", parts };
      const streaming = path === "/run_sse";
      return send("POST", path, { appName: APP, userId: "ada", sessionId: "talk", newMessage, streaming });
    },
    stored: async () => {
      const { text } = await send("GET", SESSION);
      // The form of the gateway's answer.
      const { events } = JSON.parse(text) as { readonly events: readonly Event[] };
      return events.map(brief);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
