import { createInterface, type Interface } from "node:readline";
import { StreamingMode } from "#kit/agents/run-config.ts";
import type { AgentLoader } from "#kit/definitions/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { Runner } from "#kit/runner/runner.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openAgents } from "#services/standalone/open-agents.ts";
import { openStores } from "#services/standalone/open-stores.ts";
import { createLogger } from "#shared/logger.ts";
import { UsageError } from "./parse-arguments.ts";
import { Transcript } from "./transcript.ts";

const LONG_MS = 60_000;
const SESSION = { userId: "user", id: "terminal" };

/** A conversation with one app, on stores in memory, from standard input to standard output. */
export async function run(settings: StandaloneConfig, appName: string | undefined): Promise<void> {
  await using stack = new AsyncDisposableStack();
  // Warnings would stand in the middle of answers; errors of the agent are shown as part of them.
  const { logger } = await createLogger({ level: "silent", format: "json" });
  const config: StandaloneConfig = { ...settings, ...IN_MEMORY, HOT_RELOAD: false };
  const { agentLoader } = openAgents(config, logger);
  stack.defer(() => agentLoader.close());
  const { app } = await agentLoader.loadAgent(appName ?? (await onlyApp(agentLoader)));
  const context = { clock: systemClock, ids: new UuidV7Generator() };
  const stores = await openStores({ config, stack, ...context });
  const runner = new Runner({
    app,
    ...context,
    sessionService: stores.sessionService,
    journal: stores.runJournal,
    artifactService: stores.artifactService,
    memoryService: stores.memoryService,
    runConfig: { maxLlmCalls: config.MAX_LLM_CALLS, streamingMode: StreamingMode.SSE },
  });
  stack.defer(() => runner.close());
  await stores.sessionService.createSession({ appName: app.name, ...SESSION });
  await converse(runner);
}

const IN_MEMORY = {
  SESSION_STORE: "memory",
  ARTIFACT_STORE: "memory",
  MEMORY_STORE: "memory",
  EVAL_STORE: "memory",
} as const;

async function onlyApp(loader: AgentLoader): Promise<string> {
  const names = await loader.listAgents();
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  if (only === undefined) throw new UsageError("The folder has no agents.");
  throw new UsageError(`Which app? Add one of: ${names.join(", ")}.`);
}

async function converse(runner: Runner): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTerminal, prompt: "> " });
  if (isTerminal) console.log(`Talking to ${runner.app.name}. Ctrl-D ends the conversation.`);
  const prompt = (): void => {
    if (isTerminal) lines.prompt();
  };
  prompt();
  for await (const line of lines) {
    if (line.trim() !== "") await answer(runner, lines, line);
    prompt();
  }
}

/** One turn. Ctrl-C ends it and not the conversation. */
async function answer(runner: Runner, lines: Interface, text: string): Promise<void> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  lines.once("SIGINT", cancel);
  // Timers of the kit keep no process alive; when the input has ended nothing else would.
  const keepAlive = setInterval(() => {}, LONG_MS);
  const transcript = new Transcript((piece) => void process.stdout.write(piece));
  try {
    const { signal } = controller;
    const request = { userId: SESSION.userId, sessionId: SESSION.id, newMessage: userContent(text), signal };
    for await (const event of runner.runAsync(request)) transcript.add(event);
  } catch (error) {
    // The transcript has shown the failure as the event that was stored of it.
    if (!(error instanceof PlatformError)) throw error;
  } finally {
    clearInterval(keepAlive);
    lines.off("SIGINT", cancel);
    transcript.end();
  }
}
