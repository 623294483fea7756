import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ModelOptions } from "#kit/models/model-options.ts";
import { answerJson, answerSse, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

/** How a model is reached, without its name. */
export type Address = Omit<ModelOptions, "model">;

export interface ModelSuite {
  /** Folder of the provider's payloads: `text.sse.txt`, `error-in-stream.sse.txt`, `error-<status>.json`. */
  readonly fixtures: string;
  readonly create: (options: Address) => BaseLlm;
  /** The provider's name in messages. */
  readonly provider: string;
}

export interface KeySuite extends ModelSuite {
  readonly keyVariable: string;
}

export const WEATHER_TOOL = {
  name: "get_weather",
  getDeclaration: () => ({
    name: "get_weather",
    description: "Weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  }),
};

export const NEVER_ABORTED = new AbortController().signal;

export function weatherRequest(model: string): LlmRequest {
  return new LlmRequest({ model, contents: [userContent("Weather in Paris?")] });
}

export async function collect(
  model: BaseLlm,
  request: LlmRequest = weatherRequest(model.model),
  { stream = true, signal = NEVER_ABORTED } = {},
): Promise<readonly LlmResponse[]> {
  return Array.fromAsync(model.generateContentAsync(request, { stream, signal }));
}

async function failureOf(model: BaseLlm): Promise<PlatformError> {
  const error: unknown = await collect(model).catch((thrown: unknown) => thrown);
  if (error instanceof PlatformError) return error;
  throw new Error("expected the call to fail with an error of the kit", { cause: error });
}

/** The common behaviour of all adapters of providers, over that provider's wire format. */
export function modelSuite({ fixtures, create, provider }: ModelSuite): void {
  const text = fixture(`${fixtures}/text.sse.txt`);
  const firstPiece = text.slice(0, text.indexOf("\n\n", text.indexOf("Paris ")) + 2);
  const partsOf = (responses: readonly LlmResponse[]): unknown[] =>
    responses.map(({ content, partial }) => [content?.parts, partial]);

  describe("answers", () => {
    it("gives chunks as they come, then one complete response with everything", async () => {
      await using server = await startWireServer(answerSse(text));
      expect(partsOf(await collect(create({ baseUrl: server.url })))).toEqual([
        [[{ text: "Paris " }], true],
        [[{ text: "is " }], true],
        [[{ text: "sunny." }], true],
        [[{ text: "Paris is sunny." }], undefined],
      ]);
    });

    it("sends the key and the custom headers with each request", async () => {
      verifies(
        "authentication:model:api-key",
        "authentication:model:headers",
        "what-the-service-does:kit-model-adapters",
      );
      await using server = await startWireServer(answerSse(text));
      const model = create({ baseUrl: server.url, headers: { "x-team": "blue" } });
      await collect(model);
      await collect(model);
      const seen = server.requests.map(({ headers }) => [
        headers["x-team"],
        JSON.stringify(headers).includes("test-key"),
      ]);
      expect(seen).toEqual([
        ["blue", true],
        ["blue", true],
      ]);
    });
  });

  describe("failures", () => {
    const table = [
      [400, "MODEL_BAD_REQUEST", "CLIENT_ERROR", "NO_RETRY", false],
      [401, "MODEL_AUTH_ERROR", "AUTH_ERROR", "NO_RETRY", false],
      [429, "MODEL_RATE_LIMITED", "RATE_LIMITED", "EXPONENTIAL_BACKOFF", true],
      [500, "MODEL_UNAVAILABLE", "SERVER_ERROR", "EXPONENTIAL_BACKOFF", true],
    ] as const;

    it.each(table)("maps status %i to %s", async (status, reason, category, retryStrategy, retryable) => {
      await using server = await startWireServer(answerJson(fixture(`${fixtures}/error-${status}.json`), status));
      const error = await failureOf(create({ baseUrl: server.url, retry: { maxAttempts: 1 } }));
      expect(error).toMatchObject({ reason, category, retryStrategy, retryable });
      expect([error.message.startsWith(provider), error.message.includes(`(${status})`)]).toEqual([true, true]);
      expect([error.cause instanceof Error, server.requests.length]).toEqual([true, 1]);
    });

    it("repeats a request that may succeed, waiting longer each time and as long as the provider asks", async () => {
      const waits: number[] = [];
      const failure = fixture(`${fixtures}/error-500.json`);
      await using server = await startWireServer(answerJson(failure, 500), answerJson(failure, 500), answerSse(text));
      const model = create({ baseUrl: server.url, sleep: async (milliseconds) => void waits.push(milliseconds) });
      const responses = await collect(model);
      expect([responses.at(-1)?.content?.parts, waits, server.requests.length]).toEqual([
        [{ text: "Paris is sunny." }],
        [1000, 2000],
        3,
      ]);
    });

    it("gives up after the attempts it was allowed", async () => {
      await using server = await startWireServer(answerJson(fixture(`${fixtures}/error-500.json`), 500));
      const error = await failureOf(create({ baseUrl: server.url, retry: { maxAttempts: 2 }, sleep: async () => {} }));
      expect([error.reason, server.requests.length]).toEqual(["MODEL_UNAVAILABLE", 2]);
    });

    it("reports a provider that cannot be reached", async () => {
      const server = await startWireServer(answerSse(text));
      await server[Symbol.asyncDispose]();
      const error = await failureOf(create({ baseUrl: server.url, retry: { maxAttempts: 1 } }));
      expect([error.reason, error.message, error instanceof ModelError && error.category]).toEqual([
        "MODEL_UNAVAILABLE",
        `${provider} cannot be reached (ECONNREFUSED).`,
        "NETWORK_ERROR",
      ]);
    });

    it("fails in mid-stream with the provider's error, and does not begin anew", async () => {
      await using server = await startWireServer(answerSse(fixture(`${fixtures}/error-in-stream.sse.txt`)));
      const error = await failureOf(create({ baseUrl: server.url }));
      expect([error.reason, error instanceof ModelError && error.category, server.requests.length]).toEqual([
        "MODEL_UNAVAILABLE",
        "SERVER_ERROR",
        1,
      ]);
    });

    it("fails on a chunk that is not JSON", async () => {
      const named = firstPiece.startsWith("event:") ? "event: content_block_delta\n" : "";
      await using server = await startWireServer(answerSse(`${firstPiece}${named}data: {"broken":\n\n`));
      const error = await failureOf(create({ baseUrl: server.url }));
      expect([error.reason, error.message]).toEqual([
        "MODEL_UNAVAILABLE",
        `${provider} sent an answer that cannot be read.`,
      ]);
    });
  });

  describe("leaving early", () => {
    it("aborts the request to the provider when the signal aborts in mid-stream", async () => {
      await using server = await startWireServer(answerSse(firstPiece, { open: true }));
      const controller = new AbortController();
      const reason = new Error("the user pressed stop");
      const model = create({ baseUrl: server.url });
      const stream = model.generateContentAsync(weatherRequest(model.model), {
        stream: true,
        signal: controller.signal,
      });
      const answers = stream[Symbol.asyncIterator]();
      expect((await answers.next()).value?.content?.parts).toEqual([{ text: "Paris " }]);
      const next = answers.next();
      controller.abort(reason);
      await expect(next).rejects.toBe(reason);
      await expect(server.clientGone).resolves.toBeUndefined();
    });

    it("aborts the request when the reader stops reading", async () => {
      await using server = await startWireServer(answerSse(firstPiece, { open: true }));
      const model = create({ baseUrl: server.url });
      for await (const _ of model.generateContentAsync(weatherRequest(model.model), {
        stream: true,
        signal: NEVER_ABORTED,
      }))
        break;
      await expect(server.clientGone).resolves.toBeUndefined();
    });

    it("does not call the provider when the signal is aborted already", async () => {
      await using server = await startWireServer(answerSse(text));
      const reason = new Error("stopped before it began");
      const model = create({ baseUrl: server.url });
      await expect(collect(model, undefined, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(server.requests).toEqual([]);
    });
  });
}

/** The common behaviour of adapters that find their key themselves. */
export function keySuite({ fixtures, create, provider, keyVariable }: KeySuite): void {
  const text = fixture(`${fixtures}/text.sse.txt`);

  describe("keys", () => {
    it("looks the key up anew at each call, so that it may rotate", async () => {
      await using server = await startWireServer(answerSse(text));
      const keys = ["first-key", "second-key"];
      const credentials = (name: string): string | undefined => (name === keyVariable ? keys.shift() : undefined);
      const model = create({ apiKey: undefined, baseUrl: server.url, credentials });
      await collect(model);
      await collect(model);
      const sent = server.requests.map(({ headers }) => JSON.stringify(headers).match(/(first|second)-key/)?.[0]);
      expect(sent).toEqual(["first-key", "second-key"]);
    });

    it("names the variable to set when there is no key", async () => {
      const error = await failureOf(create({ apiKey: undefined, credentials: () => undefined }));
      expect([error.reason, error.message.includes(keyVariable)]).toEqual(["MODEL_KEY_MISSING", true]);
    });

    it("keeps what a provider says about a key out of the message", async () => {
      await using server = await startWireServer(answerJson(fixture(`${fixtures}/error-401.json`), 401));
      const refused = `${provider} refused the credentials (401). Check`;
      const own = await failureOf(create({ baseUrl: server.url }));
      expect(own.message).toBe(`${refused} the option apiKey and what it may access.`);
      const credentials = (name: string): string | undefined => (name === keyVariable ? "test-key" : undefined);
      const read = await failureOf(create({ apiKey: undefined, baseUrl: server.url, credentials }));
      expect(read.message).toBe(`${refused} ${keyVariable} and what it may access.`);
    });
  });
}
