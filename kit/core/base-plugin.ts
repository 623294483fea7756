import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { BaseTool, ToolLlmRequest } from "./base-tool.ts";
import type { CallbackContext } from "./context/callback-context.ts";
import type { InvocationContext, RunnableAgent } from "./context/invocation-context.ts";
import type { ToolContext } from "./context/tool-context.ts";
import type { Plugin } from "./plugin.ts";

interface OfRun {
  readonly invocationContext: InvocationContext;
}
interface OfAgent {
  readonly agent: RunnableAgent;
  readonly callbackContext: CallbackContext;
}
interface OfModel {
  readonly callbackContext: CallbackContext;
}
interface OfTool {
  readonly tool: BaseTool;
  readonly toolArgs: JsonObject;
  readonly toolContext: ToolContext;
}

/**
 * A plugin as a class whose hooks take one object, as in ADK. Override the hooks that the plugin needs; those that are
 * not overridden cost nothing. `Plugin` is the same as an interface, whose hooks take their arguments in order.
 */
export abstract class BasePlugin {
  /** Unique within a runner. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** Returned content replaces the user's message before it is stored. */
  async onUserMessageCallback(_: OfRun & { readonly userMessage: Content }): Promise<Content | undefined> {
    return undefined;
  }

  /** Returned content ends the run as its answer; no agent runs. */
  async beforeRunCallback(_: OfRun): Promise<Content | undefined> {
    return undefined;
  }

  /** A returned event replaces the event before it is stored or sent; id, invocation and time are kept. */
  async onEventCallback(_: OfRun & { readonly event: Event }): Promise<Event | undefined> {
    return undefined;
  }

  /** Runs at the end of every run that has begun, failed runs included. */
  async afterRunCallback(_: OfRun): Promise<void> {}

  /** Returned content ends the agent's turn as its answer; the agent does not run. */
  async beforeAgentCallback(_: OfAgent): Promise<Content | undefined> {
    return undefined;
  }

  /** Returned content is added as one more event. */
  async afterAgentCallback(_: OfAgent): Promise<Content | undefined> {
    return undefined;
  }

  /** May change the request; a returned response replaces the model call. */
  async beforeModelCallback(_: OfModel & { readonly llmRequest: ToolLlmRequest }): Promise<LlmResponse | undefined> {
    return undefined;
  }

  /** A returned response replaces the model's; called for each chunk of a stream too. */
  async afterModelCallback(_: OfModel & { readonly llmResponse: LlmResponse }): Promise<LlmResponse | undefined> {
    return undefined;
  }

  /** A returned response is used as the model's; otherwise the error is thrown. */
  async onModelErrorCallback(
    _: OfModel & { readonly llmRequest: ToolLlmRequest; readonly error: Error },
  ): Promise<LlmResponse | undefined> {
    return undefined;
  }

  /** May change the arguments; a returned result replaces the tool call. */
  async beforeToolCallback(
    _: OfTool & { readonly toolArgs: Record<string, JsonValue> },
  ): Promise<JsonObject | undefined> {
    return undefined;
  }

  /** A returned result replaces the tool's. */
  async afterToolCallback(_: OfTool & { readonly result: JsonObject }): Promise<JsonObject | undefined> {
    return undefined;
  }

  /** A returned result is used as the tool's; otherwise the error is reported to the model. */
  async onToolErrorCallback(_: OfTool & { readonly error: Error }): Promise<JsonObject | undefined> {
    return undefined;
  }
}

/** The plugin with hooks in the form that runs call. Throws `INVALID_FIELD` for a hook of ADK that runs never call. */
export function toPlugin(given: Plugin | BasePlugin): Plugin {
  if (!(given instanceof BasePlugin)) return given;
  for (const hook of NEVER_CALLED) {
    if (!(hook in given)) continue;
    throw new PlatformError(
      "INVALID_FIELD",
      `Plugin "${given.name}" has ${hook}, a hook that is not supported yet: remove it.`,
    );
  }
  const forms: Omit<Required<Plugin>, "name" | "isObserver" | "closeTimeoutMs" | "onRunErrorCallback" | "close"> = {
    onUserMessageCallback: (invocationContext, userMessage) =>
      given.onUserMessageCallback({ invocationContext, userMessage }),
    beforeRunCallback: (invocationContext) => given.beforeRunCallback({ invocationContext }),
    onEventCallback: (invocationContext, event) => given.onEventCallback({ invocationContext, event }),
    afterRunCallback: (invocationContext) => given.afterRunCallback({ invocationContext }),
    beforeAgentCallback: (agent, callbackContext) => given.beforeAgentCallback({ agent, callbackContext }),
    afterAgentCallback: (agent, callbackContext) => given.afterAgentCallback({ agent, callbackContext }),
    beforeModelCallback: (callbackContext, llmRequest) => given.beforeModelCallback({ callbackContext, llmRequest }),
    afterModelCallback: (callbackContext, llmResponse) => given.afterModelCallback({ callbackContext, llmResponse }),
    onModelErrorCallback: (callbackContext, llmRequest, error) =>
      given.onModelErrorCallback({ callbackContext, llmRequest, error }),
    beforeToolCallback: (tool, toolArgs, toolContext) => given.beforeToolCallback({ tool, toolArgs, toolContext }),
    afterToolCallback: (tool, toolArgs, toolContext, result) =>
      given.afterToolCallback({ tool, toolArgs, toolContext, result }),
    onToolErrorCallback: (tool, toolArgs, toolContext, error) =>
      given.onToolErrorCallback({ tool, toolArgs, toolContext, error }),
  };
  const overridden = Object.entries(forms).filter(
    ([hook]) => Reflect.get(given, hook) !== Reflect.get(BasePlugin.prototype, hook),
  );
  return { name: given.name, ...Object.fromEntries(overridden) };
}

const NEVER_CALLED = [
  "beforeNodeCallback",
  "afterNodeCallback",
  "beforeToolSelection",
  "beforeContextCompaction",
  "afterContextCompaction",
] as const;
