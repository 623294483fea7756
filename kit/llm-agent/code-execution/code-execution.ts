import { cutAtCode, toDelimitedText } from "#kit/code-executors/code-blocks.ts";
import type { BlockCodeExecutor } from "#kit/core/code-executor.ts";
import { finalResponse } from "#kit/events/event.ts";
import type { RequestStep, ResponseProcessor, StepContext } from "#kit/llm-agent/base/step-context.ts";
import { executeBlock, mayExecute } from "./code-execution-block.ts";
import { withoutDataFiles } from "./code-execution-files.ts";

/** Enables the model's own code execution, or renders earlier code, results and data files as text. */
export function codeExecution({ agent, context, request }: RequestStep): void {
  const { codeExecutor } = agent;
  if (codeExecutor === undefined) return;
  if (codeExecutor.kind === "model") {
    codeExecutor.processLlmRequest(request);
    return;
  }
  request.contents = request.contents.map((content) => toDelimitedText(content, codeExecutor));
  if (codeExecutor.optimizeDataFile) request.contents = withoutDataFiles(request.contents, context.session.state);
}

/** Runs the code that the model wrote, and adds the result to the conversation. */
export const codeExecutionResponse: ResponseProcessor = {
  applies: (agent) => agent.codeExecutor?.kind === "blocks",
  rewrite: (step, response) => {
    const executor = blockExecutor(step);
    const { content, partial, errorCode } = response;
    if (executor === undefined || content?.parts === undefined) return response;
    if (partial === true || errorCode !== undefined || !mayExecute(step.context, executor)) return response;
    if (content.parts.some(({ functionCall }) => functionCall !== undefined)) return response;
    const parts = cutAtCode(content.parts, executor.codeBlockDelimiters);
    return parts === undefined ? response : { ...response, content: { ...content, parts } };
  },
  followUp: (step, answer) => {
    const executor = blockExecutor(step);
    const code = answer.content?.parts?.at(-1)?.executableCode?.code;
    if (executor === undefined || code === undefined || answer.errorCode !== undefined) return undefined;
    if (!finalResponse(answer) || !mayExecute(step.context, executor)) return undefined;
    return executeBlock(step.context, executor, code);
  },
};

function blockExecutor({ agent }: StepContext): BlockCodeExecutor | undefined {
  return agent.codeExecutor?.kind === "blocks" ? agent.codeExecutor : undefined;
}
