import {
  type BaseLlm,
  type Content,
  type GenerateOptions,
  type LlmRequest,
  type LlmResponse,
  modelContent,
} from "fairlead/kit";
import type { BaseLlmConnection, ConnectOptions } from "fairlead/models";
import { BenchConnection } from "./bench-connection.ts";
import { Pauses } from "./pauses.ts";
import { type Order, readOrder } from "./read-order.ts";

const SMALL: LlmResponse = { content: modelContent("ok") };

/**
 * Costs as little as a model can, so that measurements show the cost of everything else: a chunk of a real model costs
 * one callback of its socket, here one of a timer.
 */
export class BenchModel implements BaseLlm {
  readonly model = "bench";

  async connect(_request: LlmRequest, options: ConnectOptions): Promise<BaseLlmConnection> {
    return new BenchConnection(options);
  }

  generateContentAsync(request: LlmRequest, { stream, signal }: GenerateOptions): AsyncIterable<LlmResponse> {
    const order = readOrder(userText(request.contents));
    switch (order.kind) {
      case "small":
        return repeat(SMALL, 1);
      case "fill":
        return repeat(SMALL, order.events);
      case "text":
        return answer(order, stream, signal);
      default:
        return order satisfies never;
    }
  }
}

async function* repeat(response: LlmResponse, times: number): AsyncIterable<LlmResponse> {
  for (let index = 0; index < times; index += 1) yield response;
}

async function* answer(
  { chunks, characters, pauseMs, brief }: Order & { readonly kind: "text" },
  stream: boolean,
  signal: AbortSignal,
): AsyncIterable<LlmResponse> {
  const text = "x".repeat(characters);
  const chunk: LlmResponse = { content: modelContent(text), partial: true };
  using pauses = new Pauses(stream ? pauseMs : pauseMs * chunks, signal);
  if (!stream) await pauses.next();
  for (let index = 0; stream && index < chunks; index += 1) {
    if (pauseMs > 0) await pauses.next();
    else signal.throwIfAborted();
    yield chunk;
  }
  yield { content: modelContent(brief === true ? "ok" : text.repeat(chunks)), finishReason: "STOP" };
}

/** The last message of the user. */
function userText(contents: readonly Content[]): string {
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    const text = contents[index]?.role === "user" ? contents[index]?.parts?.[0]?.text : undefined;
    if (text !== undefined) return text;
  }
  return "";
}
