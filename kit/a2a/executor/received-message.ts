import type { Message, Task } from "@a2a-js/sdk";
import { fromA2aPart, isLongRunningPart } from "#kit/a2a/conversion/part-converter.ts";
import { isPaused } from "#kit/a2a/conversion/protocol.ts";
import type { Content, FunctionCall, Part } from "#kit/events/content.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";

/** The calls that the task waits for. */
export function pendingCalls(task: Task | undefined): readonly FunctionCall[] {
  const { state, message } = task?.status ?? {};
  if (state === undefined || !isPaused(state)) return [];
  return (message?.parts ?? []).flatMap((part) => {
    const call = isLongRunningPart(part) ? fromA2aPart(part)?.functionCall : undefined;
    return call?.id === undefined ? [] : [call];
  });
}

/**
 * The message for the agent. A client gives text, files, data and responses to calls, and no calls or code. A text
 * answers the one tool that waits. Undefined if calls that wait have no response.
 */
export function contentFrom({ parts }: Message, pending: readonly FunctionCall[]): Content | undefined {
  const given = parts.map(fromA2aPart).flatMap((part) => (part === undefined ? [] : clientPart(part)));
  if (pending.length === 0) return { role: "user", parts: given };
  const answered = new Set(given.map(({ functionResponse }) => functionResponse?.id));
  if (pending.every(({ id }) => answered.has(id))) return { role: "user", parts: given.filter(isResponse) };
  const [call, ...others] = pending;
  const text = given.map((part) => part.text ?? "").join("");
  if (call === undefined || others.length > 0 || isReservedCall(call.name) || text.trim() === "") return undefined;
  const { id, name } = call;
  return { role: "user", parts: [{ functionResponse: { id, name, response: { result: text } } }] };
}

function clientPart({ text, inlineData, fileData, functionResponse, videoMetadata, mediaResolution }: Part): Part[] {
  if (text !== undefined) return [{ text }];
  if (inlineData !== undefined) return [{ inlineData, videoMetadata, mediaResolution }];
  if (fileData !== undefined) return [{ fileData, videoMetadata, mediaResolution }];
  return functionResponse === undefined ? [] : [{ functionResponse }];
}

function isResponse({ functionResponse }: Part): boolean {
  return functionResponse !== undefined;
}
