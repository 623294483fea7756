import { describe, expect, it } from "vitest";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { boundedFetch, notingCredentials, withoutDescriptions } from "./bounded-fetch.ts";

const REFUSAL = { error: "invalid_grant", error_description: "code SECRET expired", error_uri: "https://a/SECRET" };

function answering(body: string, status: number, type = "application/json"): () => Promise<Response> {
  return async () =>
    new Response(body, { status, headers: { "content-type": type, "content-length": `${body.length}` } });
}

const read = async (response: Response) => [response.status, await response.text()];

describe("the refusal of an authorization server", () => {
  it.each([400, 401, 403, 429, 500])("with status %i has its code, and none of its texts", async (status) => {
    for (const type of ["application/json", "application/json; charset=utf-8"]) {
      const response = await withoutDescriptions(answering(JSON.stringify(REFUSAL), status, type))("https://a");
      expect(response.headers.get("content-length")).toBeNull();
      expect(response.headers.get("content-type")).toBe(type);
      expect(await read(response)).toEqual([status, '{"error":"invalid_grant"}']);
    }
  });

  it.each<[string, string, number, string]>([
    ["tokens", JSON.stringify({ access_token: "a", error: "x", error_description: "y" }), 200, "application/json"],
    ["a page", "<p>down</p>", 502, "text/html"],
    ["broken JSON", "{", 400, "application/json"],
    ["JSON of another form", '{"error":{"message":"x"}}', 400, "application/json"],
    ["a list", '["x"]', 400, "application/json"],
  ])("leaves %s as it is", async (_title, body, status, type) => {
    expect(await read(await withoutDescriptions(answering(body, status, type))("https://a"))).toEqual([status, body]);
  });
});

describe("an answer", () => {
  const MEGABYTE = new Uint8Array(1024 * 1024);
  /** Answers with this many bytes, a megabyte at a time. */
  const ofBytes = (bytes: number, type: string) => async (): Promise<Response> => {
    let left = bytes;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = MEGABYTE.subarray(0, Math.min(left, MEGABYTE.length));
        left -= chunk.length;
        if (chunk.length > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": type } });
  };

  it.each([
    ["application/json", 10 * 1024 * 1024],
    ["text/event-stream", 64 * 1024 * 1024],
  ])("of %s may have %i bytes, and no more", async (type, most) => {
    const bytesOf = async (bytes: number): Promise<number> => {
      let count = 0;
      const { body } = await boundedFetch(ofBytes(bytes, type))("https://a");
      for await (const chunk of body ?? []) count += chunk.byteLength;
      return count;
    };
    expect(await bytesOf(most)).toBe(most);
    await expect(bytesOf(most + 1)).rejects.toThrow(`longer than ${most} bytes`);
  });

  it("without a body, and the address of one with a body, are as they were", async () => {
    const empty = new Response(null, { status: 204 });
    expect(await boundedFetch(async () => empty)("https://a")).toBe(empty);
    const response = new Response("x");
    Object.defineProperty(response, "url", { value: "https://b/after-redirect" });
    expect((await boundedFetch(async () => response)("https://a")).url).toBe("https://b/after-redirect");
  });
});

it("notes the credentials of each request before it is sent", async () => {
  const secrets = new CallSecrets();
  const seen: string[] = [];
  const fetch = notingCredentials(async () => {
    seen.push(secrets.redact("Bearer secret-token-1"));
    return new Response("x");
  }, secrets);
  await fetch("https://a", { headers: { authorization: "Bearer secret-token-1" } });
  expect(seen.join()).not.toContain("secret-token-1");
});
