import { describe, expect, it } from "vitest";
import { GeminiEmbedder } from "#kit/models/gemini/gemini-embedder.ts";
import { answerJson, startWireServer } from "#test/helpers/servers/wire-server.ts";

const answer = (count: number) =>
  answerJson(JSON.stringify({ embeddings: Array.from({ length: count }, (_, index) => ({ values: [index, 1] })) }));

describe("GeminiEmbedder", () => {
  it("asks for vectors of the wanted length, a hundred texts at a time", async () => {
    await using server = await startWireServer(answer(100), answer(1));
    const embedder = new GeminiEmbedder({
      model: "gemini-embedding-001",
      apiKey: "key",
      baseUrl: server.url,
      dimensions: 2,
    });
    const texts = Array.from({ length: 101 }, (_, index) => `text ${index}`);
    const vectors = await embedder.embed(texts, "document");
    expect([vectors.length, vectors[99], vectors[100]]).toEqual([101, [99, 1], [0, 1]]);
    expect(server.requests.map(({ path }) => path)).toEqual(
      Array.from({ length: 2 }, () => "/v1beta/models/gemini-embedding-001:batchEmbedContents"),
    );
    expect(server.requests[1]?.body).toEqual({
      requests: [
        {
          content: { role: "user", parts: [{ text: "text 100" }] },
          taskType: "RETRIEVAL_DOCUMENT",
          outputDimensionality: 2,
          model: "models/gemini-embedding-001",
        },
      ],
    });
  });

  it("refuses an answer that lacks vectors, and a call without a key", async () => {
    await using server = await startWireServer(answer(1));
    const embedder = new GeminiEmbedder({ model: "m", apiKey: "key", baseUrl: server.url, dimensions: 2 });
    await expect(embedder.embed(["a", "b"], "query")).rejects.toMatchObject({ reason: "MODEL_UNAVAILABLE" });
    const keyless = new GeminiEmbedder({ model: "m", credentials: () => undefined });
    await expect(keyless.embed(["a"], "query")).rejects.toMatchObject({ reason: "MODEL_KEY_MISSING" });
  });
});
