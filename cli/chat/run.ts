import { createInterface, type Interface } from "node:readline";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { type AgentLoader, appNotFound, type LoadedApp } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, type FunctionCall, type Part, userContent } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openStores } from "#services/standalone/open-stores.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { Spinner } from "../output/spinner.ts";
import { paint, printColouredText, printError, printLine, printText } from "../output/terminal.ts";
import { UsageError } from "../parse-arguments.ts";
import { answerCall, describeWaiting } from "./answer-call.ts";
import { Conversation } from "./conversation.ts";
import { Transcript } from "./transcript.ts";

const LONG_MS = 60_000;

export interface RunOptions {
  readonly settings: StandaloneConfig;
  /** Absent: the only app of the folder. */
  readonly appName?: string | undefined;
  /** The session to continue in the stores that the settings name; absent: a new one in memory. */
  readonly sessionId?: string | undefined;
  /** A new file for what is sent to models' providers and received from them. */
  readonly recordWire?: string | undefined;
  /** Its secrets are kept out of the file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs a conversation with one app, from standard input to standard output. Returns the exit code. */
export async function run({ settings, appName, sessionId, recordWire, environment }: RunOptions): Promise<number> {
  await using stack = new AsyncDisposableStack();
  // Timers of the kit do not keep the process alive, and after the end of the input nothing else does.
  const keepAlive = setInterval(() => {}, LONG_MS);
  stack.defer(() => clearInterval(keepAlive));
  if (recordWire !== undefined) await record(recordWire, environment, stack);
  // Warnings would be printed between answers; errors of the agent are printed as part of them.
  const { logger } = await createLogger({ level: "silent", format: "json" });
  const kept = sessionId === undefined ? { ...settings, ...IN_MEMORY } : settings;
  const config: StandaloneConfig = { ...kept, HOT_RELOAD: false };
  const agentLoader = await openAgentLoader(config, logger);
  stack.defer(() => agentLoader.close());
  const { app } = await loadApp(agentLoader, appName);
  const context = { clock: systemClock, ids: new UuidV7Generator(), logger };
  const stores = await openStores({ config, stack, ...context });
  const runner = new Runner({
    app,
    ...context,
    sessionService: stores.sessionService,
    journal: stores.runJournal,
    artifactService: stores.artifactService,
    memoryService: stores.memoryService,
    credentialService: stores.credentialService,
    // The user who runs the agent reads the answers in the same terminal.
    errorDetail: "full",
    runConfig: { maxLlmCalls: config.MAX_LLM_CALLS, streamingMode: StreamingMode.SSE },
  });
  stack.defer(() => runner.close());
  // Awaited here: the stores are closed when this function returns.
  return await converse(new Conversation({ runner, ids: context.ids, sessionId }));
}

const IN_MEMORY = {
  SESSION_STORE: "memory",
  ARTIFACT_STORE: "memory",
  MEMORY_STORE: "memory",
  EVAL_STORE: "memory",
  CREDENTIAL_STORE: "memory",
} as const;

/** The recorder is not loaded for other runs. */
async function record(path: string, environment: RunOptions["environment"], stack: AsyncDisposableStack) {
  const { WireRecorder } = await import("#kit/models/record/wire-recorder.ts");
  const recorder = new WireRecorder({ path, environment, clock: systemClock, onProblem: printError });
  stack.defer(() =>
    printError(`Requests in ${path}: ${recorder.count}. It has the conversation: read it before you share it.`),
  );
  stack.use(recorder);
}

async function loadApp(loader: AgentLoader, appName: string | undefined): Promise<LoadedApp> {
  if (appName === undefined) return loader.loadAgent(await onlyApp(loader));
  const names = await loader.listAgents();
  if (!names.includes(appName)) throw appNotFound(appName, names);
  return loader.loadAgent(appName);
}

async function onlyApp(loader: AgentLoader): Promise<string> {
  const names = await loader.listAgents();
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  if (only === undefined) throw new UsageError("The folder has no agents.");
  throw new UsageError(`Which app? Add one of: ${names.join(", ")}.`);
}

/** Returns 1 if the conversation ends with a run that waits for an answer, because the input has ended. */
async function converse(conversation: Conversation): Promise<number> {
  const past = await conversation.open();
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTerminal, prompt: "> " });
  if (isTerminal) printLine(greeting(conversation, past));
  let isClosed = false;
  lines.once("close", () => void (isClosed = true));
  const prompt = (): void => {
    // Ctrl-D during an answer closes the input, and the lines before it are still read.
    if (isTerminal && !isClosed) lines.prompt();
  };
  // The conversation that is continued may have questions that are still unanswered.
  if (isTerminal) await answerWaiting(conversation, lines, waitingIn(past));
  prompt();
  for await (const line of lines) {
    const read = line.trim() === "" ? undefined : await conversation.read(line);
    if (read?.kind === "exit") {
      // An open terminal would keep the process alive.
      lines.close();
      break;
    }
    if (read?.kind === "print") printLine(read.text);
    if (read?.kind === "message") {
      const waiting = await turn(conversation, lines, userContent(line));
      if (waiting.length > 0 && !isTerminal) return reportWaiting(waiting);
      await answerWaiting(conversation, lines, waiting);
    }
    prompt();
  }
  return 0;
}

function greeting({ runner, sessionId }: Conversation, past: readonly Event[]): string {
  const continued = past.length === 0 ? "" : ` Session ${sessionId} continues after ${past.length} events.`;
  return `Talking to ${runner.app.name}.${continued} /help lists the commands; Ctrl-D ends the conversation.`;
}

function waitingIn(past: readonly Event[]): readonly FunctionCall[] {
  const waiting = new WaitingCalls();
  for (const event of past) waiting.add(event);
  return waiting.list;
}

function reportWaiting(waiting: readonly FunctionCall[]): number {
  for (const call of waiting) printError(describeWaiting(call));
  // An open input would keep the process alive.
  process.stdin.destroy();
  printError("The run awaits input and nothing more is read: run this in a terminal to be asked.");
  return 1;
}

/** Asks for an answer to each waiting call, until no call waits or the user gives no answer. */
async function answerWaiting(
  conversation: Conversation,
  lines: Interface,
  first: readonly FunctionCall[],
): Promise<void> {
  let waiting = first;
  while (waiting.length > 0) {
    const parts: Part[] = [];
    for (const call of waiting) {
      const part = await answerCall(call, (text) => question(lines, text), printText);
      if (part === undefined) return printText("Not answered: the run awaits input.\n");
      parts.push(part);
    }
    waiting = await turn(conversation, lines, { role: "user", parts });
  }
}

/** Returns the typed line; undefined for Ctrl-C, and when the input has ended. */
async function question(lines: Interface, text: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const controller = new AbortController();
  const giveUp = (): void => {
    controller.abort();
    printText("\n");
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
async function turn(
  { runner, userId, sessionId }: Conversation,
  lines: Interface,
  newMessage: Content,
): Promise<readonly FunctionCall[]> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  lines.once("SIGINT", cancel);
  using spinner = new Spinner();
  const write = (text: string): void => {
    spinner.hide();
    printColouredText(text);
  };
  const transcript = new Transcript(write, paint);
  const waiting = new WaitingCalls();
  try {
    const { signal } = controller;
    const request = { userId, sessionId, newMessage, signal };
    spinner.show();
    for await (const event of runner.runAsync(request)) {
      transcript.add(event);
      waiting.add(event);
      if (!transcript.isLineOpen) spinner.show();
    }
  } catch (error) {
    // The transcript has printed the stored event of the failure.
    if (!(error instanceof PlatformError)) throw error;
  } finally {
    lines.off("SIGINT", cancel);
    spinner.hide();
    transcript.end();
  }
  return waiting.list;
}

/** Collects the calls of one conversation that wait for the user, from its events. */
export class WaitingCalls {
  readonly #open = new OpenCalls("any");
  #calls: readonly FunctionCall[] = [];

  add(event: Event): void {
    if (event.partial === true) return;
    this.#open.watch(event);
    const waiting = functionCalls(event).filter(({ id }) => id !== undefined && this.#open.has(id));
    this.#calls = [...this.#calls, ...waiting].filter(({ id }) => id !== undefined && this.#open.has(id));
  }

  /** The waiting calls in the order in which they were made. */
  get list(): readonly FunctionCall[] {
    return this.#calls;
  }
}
