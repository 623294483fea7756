import type { BaseLlmAgent } from "../agents/base-llm-agent.ts";
import type { InvocationContext } from "../agents/invocation-context.ts";
import { LlmRequest } from "../models/llm-request.ts";
import type { BaseTool, ToolLlmRequest } from "../tools/base-tool.ts";
import { codeExecution } from "./processors/code-execution.ts";
import { compaction } from "./processors/compaction.ts";
import { contents } from "./processors/contents.ts";
import { contextCache } from "./processors/context-cache.ts";
import { dynamicInstruction } from "./processors/dynamic-instruction.ts";
import { identity } from "./processors/identity.ts";
import { inlineData } from "./processors/inline-data.ts";
import { instructions } from "./processors/instructions.ts";
import { outputSchema } from "./processors/output-schema.ts";
import { planning } from "./processors/planning.ts";
import { runContext } from "./processors/run-context.ts";
import { tools } from "./processors/tools.ts";
import { transfer } from "./processors/transfer.ts";
import type { RequestProcessor } from "./step-context.ts";

/** What makes a request, in order. A new share is one more file and one more entry. */
const REQUEST_PROCESSORS: readonly RequestProcessor[] = [
  instructions,
  identity,
  compaction,
  contents,
  runContext,
  inlineData,
  dynamicInstruction,
  planning,
  codeExecution,
  outputSchema,
  transfer,
  tools,
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
