import type { BaseTool, ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { SetModelResponseTool } from "#kit/llm-agent/output/set-model-response-tool.ts";
import { TransferToAgentTool } from "#kit/llm-agent/transfer/transfer-to-agent-tool.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import { ReplayConfigError, ReplayVerificationError } from "../errors/replay-errors.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";
import { ExitLoopTool } from "../tools/exit-loop-tool.ts";
import { ReplayCursor } from "./replay-cursor.ts";
import { type RecordedRun, readRecordings } from "./replay-recordings.ts";

/**
 * Key in a run's `customMetadata`, or in the session's state, of what to replay: `{ dir, user_message_index,
 * streaming_mode }`.
 */
export const REPLAY_CONFIG_KEY = "_adk_replay_config";

/** Options of a `ReplayPlugin`. */
export interface ReplayPluginOptions {
  /** The plugin's name; `adk_replay` by default. */
  readonly name?: string;
  /** The folder of all recordings; a run names a folder within it, and nothing outside is read. */
  readonly directory: string;
  /**
   * Run the tools too, for their effects on the state; their results are dropped. False: only the kit's own tools that
   * control the run are run.
   */
  readonly runTools?: boolean;
  /**
   * Refuse prompts that differ from the recorded ones. False: they are logged, because other kits word some contents
   * differently.
   */
  readonly strict?: boolean;
}

/**
 * Replays recorded runs: models and tools return the recorded answers, from the files of ADK's conformance tests
 * (`generated-recordings.yaml`). A run that names no recording is not changed. Ends a run with `REPLAY_CONFIG` if it
 * cannot be replayed, and with `REPLAY_VERIFICATION` if it differs from the recorded one. Register it last, so that it
 * gets the prompts as other plugins have changed them.
 */
export class ReplayPlugin implements Plugin {
  readonly name: string;
  readonly #options: ReplayPluginOptions;
  readonly #cursors = new Map<string, ReplayCursor>();

  constructor(options: ReplayPluginOptions) {
    this.name = options.name ?? "adk_replay";
    this.#options = options;
  }

  async beforeRunCallback(context: InvocationContext): Promise<undefined> {
    const config = configOf(context);
    if (config === undefined) return;
    const recordings = await readRecordings(this.#options.directory, readConfig(config));
    this.#cursors.set(keyOf(context), new ReplayCursor(recordings));
  }

  beforeModelCallback(context: CallbackContext, request: ToolLlmRequest): LlmResponse | undefined {
    const { agentName, invocationContext, sessionId } = context;
    const cursor = this.#cursors.get(keyOf(invocationContext));
    if (cursor === undefined) return undefined;
    const { answer, isSame } = cursor.nextAnswer(agentName, request.contents);
    if (isSame) return answer;
    if (this.#options.strict === true)
      throw new ReplayVerificationError(`The prompt of agent "${agentName}" differs from the recorded one.`);
    invocationContext.services.logger.warn(
      { plugin: this.name, agentName, sessionId },
      "prompt differs from the recorded one",
    );
    return answer;
  }

  async beforeToolCallback(
    tool: BaseTool,
    args: Record<string, JsonValue>,
    context: ToolContext,
  ): Promise<JsonObject | undefined> {
    const cursor = this.#cursors.get(keyOf(context.invocationContext));
    if (cursor === undefined) return undefined;
    const response = cursor.nextResponse(context.agentName, tool.name, args);
    if (this.#options.runTools === true || STEERING.some((steers) => tool instanceof steers))
      await tool.runAsync(args, context);
    return response;
  }

  afterRunCallback(context: InvocationContext): void {
    const key = keyOf(context);
    const left = this.#cursors.get(key)?.left ?? 0;
    this.#cursors.delete(key);
    const fields = { plugin: this.name, sessionId: context.session.id, left };
    if (left > 0) context.services.logger.warn(fields, "the run ended before all that was recorded");
  }
}

/** Tools whose only effect is to control the run. */
const STEERING = [TransferToAgentTool, ExitLoopTool, SetModelResponseTool] as const;

/**
 * The request that starts the run names the recording; the state is for programs, since clients may not write that key.
 */
function configOf({ runConfig, session }: InvocationContext): JsonValue | undefined {
  const { customMetadata } = runConfig;
  const given = isJsonObject(customMetadata) ? customMetadata[REPLAY_CONFIG_KEY] : undefined;
  return given ?? session.state[REPLAY_CONFIG_KEY] ?? undefined;
}

function readConfig(config: JsonValue): RecordedRun {
  if (!isJsonObject(config)) throw wrong("it should be an object");
  const { dir, streaming_mode: streamingMode = "none", user_message_index: userMessageIndex } = config;
  if (typeof dir !== "string" || dir === "") throw wrong("dir should name a folder of recordings");
  if (typeof userMessageIndex !== "number" || !Number.isSafeInteger(userMessageIndex) || userMessageIndex < 0)
    throw wrong("user_message_index should be a whole number from 0");
  if (streamingMode !== "none" && streamingMode !== "sse") throw wrong('streaming_mode should be "none" or "sse"');
  return { dir, userMessageIndex, streamingMode };
}

function wrong(problem: string): ReplayConfigError {
  return new ReplayConfigError(`${REPLAY_CONFIG_KEY} is wrong: ${problem}.`);
}

function keyOf({ invocationId, session }: InvocationContext): string {
  // Identifiers contain no control characters.
  return tenantKey(`${session.userId}\n${session.id}\n${invocationId}`, session.tenantId);
}
