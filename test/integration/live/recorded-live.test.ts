import { describe, expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { LiveClient } from "#test/helpers/live/live-client.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

/** The live model of the recordings: it repeats what it gets, and calls a tool if it is told so. */
class RepeatingConnection implements BaseLlmConnection {
  readonly #ready: LlmResponse[] = [];
  #isClosed = false;
  #wake = (): void => {};

  async sendHistory(): Promise<void> {}

  async sendContent({ parts = [] }: Content): Promise<void> {
    const [{ text = "", functionResponse } = {}] = parts;
    const city = /^call: (.*)/.exec(text)?.[1];
    if (city !== undefined) {
      const functionCall = { id: "live-call-1", name: "get_weather", args: { city } };
      this.#say({ content: { role: "model", parts: [{ functionCall }] } });
    } else
      this.#repeat(functionResponse === undefined ? text : `tool said ${JSON.stringify(functionResponse.response)}`);
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    if (!("blob" in input)) return;
    const { mimeType, data = "" } = input.blob;
    this.#say({ content: model(`blob ${mimeType} ${Buffer.from(data, "base64").length}`) }, { turnComplete: true });
  }

  async *receive(): AsyncGenerator<LlmResponse> {
    for (;;) {
      const response = this.#ready.shift();
      if (response !== undefined) yield response;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
  }

  #repeat(text: string): void {
    for (const chunk of ["live: ", text]) this.#say({ content: model(chunk), partial: true });
    this.#say({ content: model(`live: ${text}`) }, { turnComplete: true });
  }

  #say(...responses: readonly LlmResponse[]): void {
    this.#ready.push(...responses);
    this.#wake();
  }
}

const model = (text: string): Content => ({ role: "model", parts: [{ text }] });

const repeating: BaseLlm = {
  model: "repeating",
  async *generateContentAsync() {
    yield { content: model("not live") };
  },
  connect: async () => new RepeatingConnection(),
};

const getWeather = new FunctionTool({
  name: "get_weather",
  description: "Gives the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: ({ city }) => ({ city: city ?? null, temp: 4 }),
});

async function connect() {
  const agent = new LlmAgent({ name: "live", model: repeating, instruction: "Live.", tools: [getWeather] });
  const world = await startServerWorld({ agent });
  const url = `${world.url}/run_live?app_name=app&user_id=ada&session_id=talk`;
  return { world, open: (query = "") => LiveClient.connect(`${url}${query}`) };
}

/** The members that the recordings of ADK's server have, which differ in no scenario. */
const frame = ({ author, content, partial, turnComplete }: LiveClient["events"][number]) => ({
  author,
  ...(content !== undefined && { content }),
  ...(partial !== undefined && { partial }),
  ...(turnComplete !== undefined && { turnComplete }),
});

const repeated = (text: string) => [
  { author: "live", content: model("live: "), partial: true },
  { author: "live", content: model(text), partial: true },
  { author: "live", content: model(`live: ${text}`) },
  { author: "live", turnComplete: true },
];

describe("the recorded live scenarios", () => {
  it("text: two turns, of which the client gets what the model says, and the session has all", async () => {
    verifies(
      "what-the-service-does:run-live",
      "endpoints-http:run-live",
      "endpoints-http:run-live:response",
      "events:live",
      "wire:live:framing",
      "server-objects:live-request:content",
    );
    const { world, open } = await connect();
    await using _ = world;
    const client = await open("&modalities=TEXT");
    client.say("one");
    await client.texts(4);
    client.say("two");
    await client.texts(8);
    client.socket.close(1000);
    await client.closed;
    expect(client.events.map(frame)).toEqual([...repeated("one"), ...repeated("two")]);
    const { text } = await world.send("GET", "/apps/app/users/ada/sessions/talk");
    const { events } = JSON.parse(text) as { events: LiveClient["events"] };
    expect(events.map(frame)).toEqual([
      { author: "user", content: { role: "user", parts: [{ text: "one" }] } },
      ...repeated("one").slice(2),
      { author: "user", content: { role: "user", parts: [{ text: "two" }] } },
      ...repeated("two").slice(2),
    ]);
    expect(new Set(events.map(({ invocationId }) => invocationId)).size).toBe(1);
  });

  it("blob: media reaches the model", async () => {
    verifies("server-objects:live-request:blob");
    const { world, open } = await connect();
    await using _ = world;
    const client = await open();
    client.send({ blob: { mime_type: "audio/pcm;rate=16000", data: "AAAA" } });
    await client.texts(2);
    client.socket.close(1000);
    expect(client.events.map(frame)).toEqual([
      { author: "live", content: model("blob audio/pcm;rate=16000 3") },
      { author: "live", turnComplete: true },
    ]);
  });

  it("tool: its call and response are frames, and the model goes on", async () => {
    const { world, open } = await connect();
    await using _ = world;
    const client = await open();
    client.say("call: Rome");
    await client.texts(6);
    client.socket.close(1000);
    const functionCall = { id: "live-call-1", name: "get_weather", args: { city: "Rome" } };
    const functionResponse = { id: "live-call-1", name: "get_weather", response: { city: "Rome", temp: 4 } };
    expect(client.events.map(frame)).toEqual([
      { author: "live", content: { role: "model", parts: [{ functionCall }] } },
      { author: "live", content: { role: "user", parts: [{ functionResponse }] } },
      ...repeated('tool said {"city":"Rome","temp":4}'),
    ]);
  });

  it("close: the request ends the conversation and the socket, and the session is free", async () => {
    verifies("server-objects:live-request:close");
    const { world, open } = await connect();
    await using _ = world;
    const client = await open();
    client.say("bye");
    await client.texts(4);
    client.send({ close: true });
    expect(await client.closed).toEqual({ code: 1000, reason: "" });
    expect(client.events.map(frame)).toEqual(repeated("bye"));
    expect((await world.say("still there?")).status).toBe(200);
  });
});
