import type { Content, FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import type { IntermediateData, Invocation } from "../eval-set.ts";

/** The parts of a turn that metrics read. Both forms of intermediate data are supported; thoughts are left out. */

/** The texts of a message, one a line. */
export function linesOf(content: Content | undefined): string {
  return textParts(content?.parts).join("\n");
}

/** The texts of the turn's answer; with `withIntermediate`, those that agents wrote before it come first. */
export function answerOf({ finalResponse, intermediateData }: Invocation, withIntermediate = false): string {
  const before = withIntermediate ? intermediateMessages(intermediateData).map(({ parts }) => textParts(parts)) : [];
  return [...before.map((texts) => texts.join("\n")), linesOf(finalResponse)].filter((text) => text !== "").join("\n");
}

/** The tool calls of the turn, in their order. */
export function toolCallsOf({ intermediateData: data }: Invocation): readonly FunctionCall[] {
  if (data?.invocationEvents === undefined) return data?.toolUses ?? [];
  return eventParts(data).flatMap(({ functionCall }) => functionCall ?? []);
}

/** Each tool call with its response, by the call's id. */
export function answeredCallsOf(invocation: Invocation): readonly AnsweredCall[] {
  const byId = new Map(toolResponsesOf(invocation).map((response) => [response.id, response]));
  return toolCallsOf(invocation).map((call) => ({ call, response: byId.get(call.id) }));
}

export interface AnsweredCall {
  readonly call: FunctionCall;
  readonly response: FunctionResponse | undefined;
}

function toolResponsesOf({ intermediateData: data }: Invocation): readonly FunctionResponse[] {
  if (data?.invocationEvents === undefined) return data?.toolResponses ?? [];
  return eventParts(data).flatMap(({ functionResponse }) => functionResponse ?? []);
}

function eventParts(data: IntermediateData): readonly Part[] {
  return (data.invocationEvents ?? []).flatMap(({ content }) => content?.parts ?? []);
}

function intermediateMessages(data: IntermediateData | undefined): readonly { readonly parts: readonly Part[] }[] {
  if (data?.invocationEvents !== undefined)
    return data.invocationEvents.map(({ content }) => ({ parts: content?.parts ?? [] }));
  return (data?.intermediateResponses ?? []).map(([, parts]) => ({ parts }));
}

export function textParts(parts: readonly Part[] | undefined): readonly string[] {
  return (parts ?? []).flatMap(({ text, thought }) => (text && thought !== true ? [text] : []));
}
