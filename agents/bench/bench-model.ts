import { setTimeout as pause } from "node:timers/promises";
import {
  type BaseLlm,
  type Content,
  type GenerateOptions,
  type LlmRequest,
  type LlmResponse,
  modelContent,
} from "fairlead/kit";
import { type Order, readOrder } from "./read-order.ts";

const SMALL: LlmResponse = { content: modelContent("ok") };

/** Costs as little as a model can, so that measurements show the cost of everything else. */
export class BenchModel implements BaseLlm {
  readonly model = "bench";

  async *generateContentAsync(request: LlmRequest, { stream, signal }: GenerateOptions): AsyncIterable<LlmResponse> {
    const order = readOrder(userText(request.contents));
    switch (order.kind) {
      case "small":
        yield SMALL;
        return;
      case "fill":
        for (let index = 0; index < order.events; index += 1) yield SMALL;
        return;
      case "text":
        yield* answer(order, stream, signal);
        return;
      default:
        order satisfies never;
    }
  }
}

async function* answer(
  { chunks, characters, pauseMs, brief }: Order & { readonly kind: "text" },
  stream: boolean,
  signal: AbortSignal,
): AsyncIterable<LlmResponse> {
  const text = "x".repeat(characters);
  const chunk: LlmResponse = { content: modelContent(text), partial: true };
  if (!stream && pauseMs > 0) await pause(pauseMs * chunks, undefined, { signal });
  for (let index = 0; stream && index < chunks; index += 1) {
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal });
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
