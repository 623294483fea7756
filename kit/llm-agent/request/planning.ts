import type { ChunkReader } from "#kit/core/base-planner.ts";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { Content, Part } from "#kit/events/content.ts";
import type { RequestStep, ResponseProcessor, StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** Adds the planner's instruction, and makes earlier plans, which are stored as thoughts, readable for the model. */
export function planning({ agent, context, request }: RequestStep): void {
  const { planner } = agent;
  if (planner === undefined) return;
  const instruction = planner.buildPlanningInstruction(new ReadonlyContext(context), request);
  if (instruction !== undefined) request.appendInstructions(instruction);
  if (planner.processPlanningResponse !== undefined) request.contents = request.contents.map(withReadableThoughts);
}

/** Separates planning from the answer in the model's response. */
export const planningResponse: ResponseProcessor = {
  applies: (agent) => agent.planner !== undefined,
  rewrite: (step, response, callbacks) => {
    const { planner } = step.agent;
    const parts = response.content?.parts;
    if (parts === undefined) return response;
    const read =
      response.partial === true ? chunkReader(step)?.(parts) : planner?.processPlanningResponse?.(callbacks, parts);
    return read === undefined ? response : withParts(response, read);
  },
};

function chunkReader(step: StepContext): ChunkReader | undefined {
  const reader = step.chunkReader ?? step.agent.planner?.createChunkReader?.();
  if (reader !== undefined) step.chunkReader = reader;
  return reader;
}

function withParts(response: LlmResponse, parts: readonly Part[]): LlmResponse {
  return { ...response, content: { ...response.content, parts } };
}

/** Thoughts with a signature are sent back to their model unchanged. */
function withReadableThoughts(content: Content): Content {
  if (content.parts?.some(isPlan) !== true) return content;
  const parts = content.parts.map((part) => {
    if (!isPlan(part)) return part;
    const { thought: _, ...rest } = part;
    return rest;
  });
  return { ...content, parts };
}

function isPlan({ text, thought, thoughtSignature }: Part): boolean {
  return thought === true && text !== undefined && thoughtSignature === undefined;
}
