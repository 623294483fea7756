import { createInterface, type Interface } from "node:readline";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, type FunctionCall, type Part, userContent } from "#kit/events/content.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openStores } from "#services/standalone/open-stores.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { answerCall, describeWaiting } from "./answer-call.ts";
import { UsageError } from "./parse-arguments.ts";
import { Transcript } from "./transcript.ts";
import { WaitingCalls } from "./waiting-calls.ts";

const LONG_MS = 60_000;
const SESSION = { userId: "user", id: "terminal" };

/**
 * Runs a conversation with one app, with stores in memory, from standard input to standard output. Returns the exit
 * code.
 */
export async function run(settings: StandaloneConfig, appName: string | undefined): Promise<number> {
  await using stack = new AsyncDisposableStack();
  // Warnings would be printed between answers; errors of the agent are printed as part of them.
  const { logger } = await createLogger({ level: "silent", format: "json" });
  const config: StandaloneConfig = { ...settings, ...IN_MEMORY, HOT_RELOAD: false };
  const agentLoader = openAgentLoader(config, logger);
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
    // The user who runs the agent reads the answers in the same terminal.
    errorDetail: "full",
    runConfig: { maxLlmCalls: config.MAX_LLM_CALLS, streamingMode: StreamingMode.SSE },
  });
  stack.defer(() => runner.close());
  await stores.sessionService.createSession({ appName: app.name, ...SESSION });
  return converse(runner);
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

/** Returns 1 if the conversation ends with a run that waits for an answer, because the input has ended. */
async function converse(runner: Runner): Promise<number> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTerminal, prompt: "> " });
  if (isTerminal) console.log(`Talking to ${runner.app.name}. Ctrl-D ends the conversation.`);
  const prompt = (): void => {
    if (isTerminal) lines.prompt();
  };
  prompt();
  for await (const line of lines) {
    if (line.trim() !== "") {
      const waiting = await turn(runner, lines, userContent(line));
      if (waiting.length > 0 && !isTerminal) return reportWaiting(waiting);
      await answerWaiting(runner, lines, waiting);
    }
    prompt();
  }
  return 0;
}

function reportWaiting(waiting: readonly FunctionCall[]): number {
  for (const call of waiting) console.error(describeWaiting(call));
  // An open input would keep the process alive.
  process.stdin.destroy();
  console.error("The run awaits input and nothing more is read: run this in a terminal to be asked.");
  return 1;
}

/** Asks for an answer to each waiting call, until no call waits or the user gives no answer. */
async function answerWaiting(runner: Runner, lines: Interface, first: readonly FunctionCall[]): Promise<void> {
  let waiting = first;
  while (waiting.length > 0) {
    const parts: Part[] = [];
    for (const call of waiting) {
      const part = await answerCall(call, (text) => question(lines, text), write);
      if (part === undefined) return write("Not answered: the run awaits input.\n");
      parts.push(part);
    }
    waiting = await turn(runner, lines, { role: "user", parts });
  }
}

/** Returns the typed line; undefined for Ctrl-C, and when the input has ended. */
async function question(lines: Interface, text: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const controller = new AbortController();
  const giveUp = (): void => {
    controller.abort();
    write("\n");
    resolve(undefined);
  };
  lines.once("SIGINT", giveUp).once("close", giveUp);
  lines.question(text, { signal: controller.signal }, resolve);
  try {
    return await promise;
  } finally {
    lines.off("SIGINT", giveUp).off("close", giveUp);
  }
}

/**
 * Executes one turn and returns the calls that wait for the user at its end. Ctrl-C ends the turn and not the
 * conversation.
 */
async function turn(runner: Runner, lines: Interface, newMessage: Content): Promise<readonly FunctionCall[]> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  lines.once("SIGINT", cancel);
  // Timers of the kit do not keep the process alive, and after the end of the input nothing else does.
  const keepAlive = setInterval(() => {}, LONG_MS);
  const transcript = new Transcript(write);
  const waiting = new WaitingCalls();
  try {
    const { signal } = controller;
    const request = { userId: SESSION.userId, sessionId: SESSION.id, newMessage, signal };
    for await (const event of runner.runAsync(request)) {
      transcript.add(event);
      waiting.add(event);
    }
  } catch (error) {
    // The transcript has printed the stored event of the failure.
    if (!(error instanceof PlatformError)) throw error;
  } finally {
    clearInterval(keepAlive);
    lines.off("SIGINT", cancel);
    transcript.end();
  }
  return waiting.list;
}

function write(text: string): void {
  process.stdout.write(text);
}
