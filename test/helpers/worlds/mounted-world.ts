import fastify, { type FastifyInstance } from "fastify";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { createServer, type Server, type ServerOptions } from "#services/standalone/index.ts";

export interface MountedWorld extends AsyncDisposable {
  /** The program's own app, which has the server below `/agents`. */
  readonly app: FastifyInstance;
  readonly server: Server;
}

export function scriptedAgent(steps: readonly ScriptedStep[] = ["hello"], name = "echo"): LlmAgent {
  return new LlmAgent({ name, model: new ScriptedModel(steps, { repeatLast: true }) });
}

/** A program that has the server below `/agents` of its own app, closed with the app. */
export async function startMounted(
  options: ServerOptions = {},
  { app = fastify(), prefix = "/agents" }: { readonly app?: FastifyInstance; readonly prefix?: string } = {},
): Promise<MountedWorld> {
  const agents = options.agentLoader === undefined ? [scriptedAgent()] : undefined;
  const server = await createServer({ agents, ...options });
  try {
    await app.register(server.plugin, { prefix });
  } catch (error) {
    await server.close();
    throw error;
  }
  return { app, server, [Symbol.asyncDispose]: () => app.close() };
}

/** A message to the session `s` of the user `u`. */
export function messageTo(appName: string, text = "hi"): object {
  return { appName, userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text }] } };
}
