import { GenAiFieldMissingException, MessageConversionException } from "#kit/errors/kit-errors.ts";
import { contentProblem } from "#kit/events/content-problem.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/**
 * Returns the response if it is valid, because adapters and callbacks may return anything. Throws
 * `MessageConversionException` for any other form, and `GenAiFieldMissingException` for a call without a function name.
 */
export function checkResponse(response: LlmResponse): LlmResponse {
  const problem = responseProblem(response);
  if (problem !== undefined) throw MessageConversionException.invalidMessageStructure(problem);
  if (response.partial !== true) checkNames(response);
  return response;
}

function responseProblem(response: unknown): string | undefined {
  if (typeof response !== "object" || response === null) return `the answer is ${kindOf(response)}, not an object`;
  const { content, errorCode, usageMetadata }: { content?: unknown; errorCode?: unknown; usageMetadata?: unknown } =
    response;
  if (errorCode !== undefined && typeof errorCode !== "string") return "errorCode is not a text";
  if (usageMetadata !== undefined && typeof usageMetadata !== "object") return "usageMetadata is not an object";
  return contentProblem(content);
}

/** A call without a name cannot be sent back to any model, so each later turn would fail. */
function checkNames({ content }: LlmResponse): void {
  for (const { functionCall } of content?.parts ?? []) {
    if (functionCall !== undefined && (functionCall.name ?? "") === "")
      throw new GenAiFieldMissingException("A required field is empty: functionCall.name.");
  }
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
