import {
  BaseLlm,
  createEvent,
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  Runner,
  setLogLevel,
  StreamingMode,
} from "@google/adk";
import { z } from "zod";

const USER_ID = "u";
const APP_NAME = "bench";

/** The peer's kit with its in-memory store and the same agent as bench/kit/own-subject.ts. */
export function createPeerSubject(readOrder) {
  setLogLevel(LogLevel.ERROR);
  const sessionService = new InMemorySessionService();
  const runner = new Runner({ appName: APP_NAME, agent: createAgent(readOrder), sessionService });
  return {
    createSession: async (id, events) => {
      const session = await sessionService.createSession({ appName: APP_NAME, userId: USER_ID, sessionId: id });
      for (let index = 0; index < events; index += 1) {
        await sessionService.appendEvent({ session, event: historyEvent(index) });
      }
    },
    deleteSession: (id) => sessionService.deleteSession({ appName: APP_NAME, userId: USER_ID, sessionId: id }),
    turn: async (id, words, streaming) => {
      let count = 0;
      const turn = runner.runAsync({
        userId: USER_ID,
        sessionId: id,
        newMessage: { role: "user", parts: [{ text: words }] },
        runConfig: { streamingMode: streaming ? StreamingMode.SSE : StreamingMode.NONE },
      });
      for await (const _ of turn) count += 1;
      return count;
    },
  };
}

function createAgent(readOrder) {
  const look = new FunctionTool({
    name: "look",
    description: "Tells the weather of a city.",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, weather: "sunny", degrees: 21 }),
  });
  return new LlmAgent({
    name: "bench",
    description: "For measurements.",
    model: new KitBenchModel(readOrder),
    instruction: "Obey the words.",
    tools: [look],
  });
}

class KitBenchModel extends BaseLlm {
  #readOrder;

  constructor(readOrder) {
    super({ model: "bench" });
    this.#readOrder = readOrder;
  }

  async *generateContentAsync({ contents }, stream) {
    const order = this.#readOrder(contents.at(-1)?.parts?.[0]?.text ?? "");
    if (order.tools > 0) {
      yield { content: callsOf(order.tools) };
      return;
    }
    for (let index = 0; stream && index < order.chunks; index += 1) {
      yield { content: { role: "model", parts: [{ text: "some text " }] }, partial: true };
    }
    const text = order.chunks > 0 ? "some text ".repeat(order.chunks) : "ok";
    yield { content: { role: "model", parts: [{ text }] } };
  }

  async connect() {
    throw new Error("not offered");
  }
}

function callsOf(count) {
  const parts = Array.from({ length: count }, (_, index) => ({
    functionCall: { id: `call-${index}`, name: "look", args: { city: `city ${index}` } },
  }));
  return { role: "model", parts };
}

function historyEvent(index) {
  const isUser = index % 2 === 0;
  return createEvent({
    invocationId: `turn-${Math.floor(index / 2)}`,
    author: isUser ? "user" : "bench",
    content: { role: isUser ? "user" : "model", parts: [{ text: isUser ? "and what now?" : "ok" }] },
  });
}
