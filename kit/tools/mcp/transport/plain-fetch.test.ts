import { expect, it } from "vitest";
import { plainFetch } from "./plain-fetch.ts";

const REQUEST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const RESULT = { jsonrpc: "2.0", id: 1, result: { tools: [] } };

async function answered(body: string | null, init: ResponseInit, request: string | undefined = REQUEST) {
  const response = new Response(body, { statusText: "As given", ...init });
  Object.defineProperty(response, "url", { value: "http://server.example/mcp" });
  const plain = await plainFetch(async () => response)("http://server.example/mcp", { method: "POST", body: request });
  const { status, statusText, url, headers } = plain;
  return {
    status,
    statusText,
    url,
    type: headers.get("content-type"),
    mark: headers.get("x-mark"),
    text: await plain.text(),
  };
}

const GIVEN = { statusText: "As given", url: "http://server.example/mcp", mark: "kept" };

it.each([
  ["application/json", 200, "application/json"],
  ["application/problem+json; charset=utf-8", 404, "application/problem+json; charset=utf-8"],
  ["text/plain", 200, "application/json"],
  ["", 202, "application/json"],
])("passes an answer on with its status, address and headers: %s, %i", async (type, status, shown) => {
  const answer = await answered(JSON.stringify(RESULT), {
    status,
    headers: { "content-type": type, "x-mark": "kept" },
  });
  expect({ ...answer, text: JSON.parse(answer.text) }).toEqual({ ...GIVEN, status, type: shown, text: RESULT });
});

it("leaves texts that are not messages, refusals without a type, and empty answers as they are", async () => {
  const headers = { "content-type": "text/plain", "x-mark": "kept" };
  expect(await answered("Try later.", { status: 200, headers })).toEqual({
    ...{ ...GIVEN, status: 200, type: "text/plain", text: "Try later." },
  });
  expect(await answered("{}", { status: 500, headers })).toMatchObject({ status: 500, type: "text/plain", text: "{}" });
  expect(await answered(null, { status: 202, headers })).toMatchObject({ status: 202, text: "" });
  // What is not a request of JSON-RPC, such as a sign-in, has the types of its server.
  expect(await answered("{}", { status: 200, headers }, "grant_type=code")).toMatchObject({ type: "text/plain" });
});

it("passes each event on with its other lines, and the messages of a list one by one", async () => {
  const other = { jsonrpc: "2.0", method: "notifications/progress", params: {} };
  const event = `id: 7\nevent: message\ndata: ${JSON.stringify([other, RESULT])}\n\n`;
  const { text, type } = await answered(event, { status: 200, headers: { "content-type": "text/event-stream" } });
  const each = (message: object) => `id: 7\nevent: message\ndata: ${JSON.stringify(message)}\n\n`;
  expect([type, text]).toEqual(["text/event-stream", each(other) + each(RESULT)]);
});
