import type { BaseTool, ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { RequestProcessor } from "#kit/llm-agent/base/step-context.ts";
import { codeExecution } from "#kit/llm-agent/code-execution/code-execution.ts";
import { outputSchema } from "#kit/llm-agent/output/output-schema.ts";
import { transfer } from "#kit/llm-agent/transfer/transfer.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { compaction, contents, inlineData, runContext } from "./contents.ts";
import { contextCache } from "./context-cache.ts";
import { dynamicInstruction } from "./dynamic-instruction.ts";
import { identity, instructions } from "./instructions.ts";
import { planning } from "./planning.ts";
import { tools } from "./tools.ts";

/** The processors of a request, in order. */
const REQUEST_PROCESSORS: readonly RequestProcessor[] = [
  // First, so that the system instruction begins with the texts of the agent's author.
  instructions,
  identity,
  // Before `contents`, which reads the summary that compaction may store.
  compaction,
  // Before all processors below that change the contents.
  contents,
  // `runContext` and `dynamicInstruction` search the user's newest message, so they come before `codeExecution` and
  // `tools`, which add contents of the user that are not messages: results of code, and loaded artifacts.
  runContext,
  // Before `codeExecution`, which finds data files by their bytes.
  inlineData,
  dynamicInstruction,
  planning,
  codeExecution,
  outputSchema,
  transfer,
  // After all processors that change contents, config or tools: tools and toolsets get the complete request.
  tools,
  // Its position does not matter: it reads only the session's events.
  contextCache,
];

export async function buildRequest(agent: BaseLlmAgent, context: InvocationContext): Promise<ToolLlmRequest> {
  const request = new LlmRequest<BaseTool>({
    model: agent.resolveModel().model,
    config: { ...agent.generateContentConfig },
  });
  const step = { agent, context, request };
  for (const process of REQUEST_PROCESSORS) {
    const pending = process(step);
    // Most processors are synchronous; awaiting those would cost a turn of the microtask queue each.
    if (pending !== undefined) await pending;
  }
  return request;
}
