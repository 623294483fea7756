import type { CreateMessageRequestParams, CreateMessageResult } from "@modelcontextprotocol/client";
import type { InvocationContext, RunnableAgent } from "#kit/core/context/invocation-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, type Part, textOf } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";

export type Sampler = (params: CreateMessageRequestParams) => Promise<CreateMessageResult>;

/**
 * Answers a server by the model of the agent that calls. The call counts against the run's limits and budgets as the
 * agent's own calls do. Throws what the model throws.
 */
export async function sampleWithAgent(
  { invocationContext: context, signal }: ToolContext,
  params: CreateMessageRequestParams,
): Promise<CreateMessageResult> {
  const model = context.metered(modelOf(context));
  const { messages, systemPrompt, maxTokens, temperature, stopSequences } = params;
  const request = new LlmRequest({
    model: model.model,
    contents: messages.map(toContent),
    config: {
      maxOutputTokens: maxTokens,
      temperature,
      stopSequences,
    },
  });
  if (systemPrompt !== undefined) request.appendInstructions(systemPrompt);
  context.incrementLlmCallsCount();
  for await (const { content, usageMetadata, errorMessage, partial } of model.generateContentAsync(request, {
    stream: false,
    signal,
  })) {
    if (usageMetadata !== undefined) context.addUsage(usageMetadata);
    if (partial === true) continue;
    if (content === undefined)
      throw new PlatformError(
        "MODEL_RETURNED_NO_CONTENT",
        `The model gave no answer for the server: ${errorMessage ?? "no content"}`,
      );
    return {
      role: "assistant",
      model: model.model,
      content: { type: "text", text: textOf(content) },
      stopReason: "endTurn",
    };
  }
  throw new PlatformError("MODEL_RETURNED_NO_CONTENT", "The model gave no answer for the server.");
}

type ModelAgent = RunnableAgent & { resolveModel(): BaseLlm };

function modelOf({ agent }: InvocationContext): BaseLlm {
  if ("resolveModel" in agent) return (agent as ModelAgent).resolveModel();
  throw new PlatformError("SERVICE_MISSING", `The agent ${agent.name} has no model that could answer a server.`);
}

function toContent({ role, content }: CreateMessageRequestParams["messages"][number]): Content {
  const blocks = Array.isArray(content) ? content : [content];
  return { role: role === "assistant" ? "model" : "user", parts: blocks.map(toPart) };
}

function toPart(block: Exclude<CreateMessageRequestParams["messages"][number]["content"], readonly unknown[]>): Part {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "image":
    case "audio":
      return { inlineData: { mimeType: block.mimeType, data: block.data } };
    default:
      throw new PlatformError(
        "MESSAGE_CONVERSION",
        `A server's message has content of type ${block.type}, which is not passed to models.`,
      );
  }
}
