import { z } from "zod";
import { createApp } from "#kit/core/app.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { type Content, modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { historyEvent } from "./history-event.ts";
import { type KitSubject, readKitOrder } from "./kit-subject.ts";

const USER_ID = "u";
const APP_NAME = "bench";

/** This kit with its in-memory store. `bench/peer/kit-subject.js` is the same for the peer. */
export function createOwnSubject(): KitSubject {
  const sessionService = new InMemorySessionStore();
  const runner = new Runner({
    app: createApp({ name: APP_NAME, rootAgent: createAgent() }),
    sessionService,
    journal: sessionService,
  });
  return {
    createSession: async (id, events) => {
      await sessionService.createSession({
        appName: APP_NAME,
        userId: USER_ID,
        id,
        events: Array.from({ length: events }, (_, index) => historyEvent(index)),
      });
    },
    deleteSession: (id) => sessionService.deleteSession({ appName: APP_NAME, userId: USER_ID, id }),
    turn: async (id, words, streaming) => {
      let count = 0;
      const turn = runner.runAsync({
        userId: USER_ID,
        sessionId: id,
        newMessage: userContent(words),
        runConfig: { streamingMode: streaming ? StreamingMode.SSE : StreamingMode.NONE },
      });
      for await (const _ of turn) count += 1;
      return count;
    },
  };
}

function createAgent(): LlmAgent {
  const look = new FunctionTool({
    name: "look",
    description: "Tells the weather of a city.",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, weather: "sunny", degrees: 21 }),
  });
  return new LlmAgent({
    name: "bench",
    description: "For measurements.",
    model: new KitBenchModel(),
    instruction: "Obey the words.",
    tools: [look],
  });
}

/** Calls the tool as often as the message asks for, then answers; or answers in so many chunks. */
class KitBenchModel implements BaseLlm {
  readonly model = "bench";

  async *generateContentAsync({ contents }: LlmRequest, { stream }: GenerateOptions): AsyncIterable<LlmResponse> {
    const newest = contents.at(-1)?.parts?.[0];
    const order = readKitOrder(newest?.text ?? "");
    if (order.tools > 0) {
      yield { content: callsOf(order.tools) };
      return;
    }
    for (let index = 0; stream && index < order.chunks; index += 1) yield CHUNK;
    yield { content: modelContent(order.chunks > 0 ? "some text ".repeat(order.chunks) : "ok") };
  }
}

const CHUNK: LlmResponse = { content: modelContent("some text "), partial: true };

function callsOf(count: number): Content {
  const parts = Array.from({ length: count }, (_, index) => ({
    functionCall: { id: `call-${index}`, name: "look", args: { city: `city ${index}` } },
  }));
  return { role: "model", parts };
}
