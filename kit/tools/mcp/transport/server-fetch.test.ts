import { describe, expect, it } from "vitest";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { notingCredentials, withoutDescriptions } from "./server-fetch.ts";

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
