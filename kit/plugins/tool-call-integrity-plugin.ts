import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { Content } from "../events/content.ts";

/** Options of a `ToolCallIntegrityPlugin`. */
export interface ToolCallIntegrityPluginOptions {
  /** The plugin's name; `tool_call_integrity` by default. */
  readonly name?: string;
  /** Log the problem only, and continue the call. */
  readonly logOnly?: boolean;
}

/**
 * Checks each prompt before it is sent to a model: every call has exactly one response, in the content directly after
 * it. The kit's own prompts satisfy this; callbacks, plugins and processors that change them may break it, and
 * providers then refuse every later turn of the session. Register it last, so that it gets the prompts as others have
 * changed them. Ends the run with `TOOL_CALL_INTEGRITY`, which names the call.
 */
export class ToolCallIntegrityPlugin implements Plugin {
  readonly name: string;
  readonly #logOnly: boolean;

  constructor({ name = "tool_call_integrity", logOnly = false }: ToolCallIntegrityPluginOptions = {}) {
    this.name = name;
    this.#logOnly = logOnly;
  }

  beforeModelCallback(context: CallbackContext, request: ToolLlmRequest): undefined {
    const problem = findBrokenCall(request.contents);
    if (problem === undefined) return;
    const { agentName, invocationContext, sessionId } = context;
    if (!this.#logOnly) {
      throw new PlatformError("TOOL_CALL_INTEGRITY", `The prompt of agent "${agentName}" is broken: ${problem}.`);
    }
    const fields = { plugin: this.name, agentName, sessionId, problem };
    invocationContext.services.logger.warn(fields, "prompt with a broken tool call");
  }
}

function findBrokenCall(contents: readonly Content[]): string | undefined {
  let open: ReadonlyMap<string, string> = new Map();
  for (const [index, { parts = [] }] of contents.entries()) {
    const answered = new Set<string>();
    for (const { functionResponse } of parts) {
      if (functionResponse?.id === undefined) continue;
      const { id, name } = functionResponse;
      if (!open.has(id)) return `content ${index} answers the call ${id} (${name}), which is not right before it`;
      if (answered.has(id)) return `content ${index} answers the call ${id} (${name}) twice`;
      answered.add(id);
    }
    for (const [id, name] of open) if (!answered.has(id)) return `the call ${id} (${name}) has no response behind it`;
    open = callsOf(parts);
  }
  for (const [id, name] of open) return `the call ${id} (${name}) has no response behind it`;
  return undefined;
}

function callsOf(parts: NonNullable<Content["parts"]>): ReadonlyMap<string, string> {
  const calls = new Map<string, string>();
  for (const { functionCall } of parts) {
    if (functionCall?.id !== undefined) calls.set(functionCall.id, functionCall.name ?? "");
  }
  return calls;
}
