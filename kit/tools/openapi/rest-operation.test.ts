import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { operationsOf } from "./rest-operation.ts";

const GOOD: JsonObject = { get: { operationId: "good" } };

async function read(paths: JsonObject, others: JsonObject = {}) {
  const servers = [{ url: "https://api.example" }];
  return operationsOf(await OpenApiDocument.read({ openapi: "3.0.3", servers, paths, ...others }), undefined);
}

const withParameter = (parameter: JsonValue): JsonObject => ({ get: { parameters: [parameter] } });
const withBody = (content: JsonValue): JsonObject => ({ post: { requestBody: { content } } });

describe("an operation that cannot be a tool", () => {
  it.each([
    ["GET", withParameter({ in: "query" }), "a parameter has no name"],
    ["GET", withParameter({ name: "x".repeat(201), in: "query" }), "longer than 200 characters"],
    ["GET", withParameter({ name: "a", in: "body" }), '"a" has no place'],
    ["GET", withParameter({ name: "a", in: "constructor" }), '"a" has no place'],
    ["GET", withParameter({ name: "a b", in: "header" }), '"a b" cannot be the name of a header'],
    ["GET", withParameter({ name: "a;b", in: "cookie" }), '"a;b" cannot be the name of a cookie'],
    ["GET", withParameter({ name: "a", in: "query", style: "label" }), 'the style "label", and a query has form'],
    ["GET", withParameter({ name: "a", in: "header", style: "deepObject" }), 'the style "deepObject", and a header'],
    ["GET", withParameter({ name: "a", in: "query", style: 7 }), "the style 7"],
    [
      "GET",
      withParameter({ name: "a", in: "query", content: { "application/cbor": {} } }),
      "only JSON, forms and text are sent",
    ],
    ["GET", withParameter({ name: "a", in: "query", content: {} }), "has the media type , and only"],
    ["GET", withParameter({ $ref: "#/components/parameters/none" }), "leads to nothing in the description"],
    ["GET", withParameter({ $ref: "other.yaml#/a" }), '"other.yaml#/a" leads to nothing'],
    ["GET", withParameter({ $ref: "#/components/parameters/circle" }), "in a circle"],
    ["GET", { get: { parameters: Array.from({ length: 501 }, (_, n) => ({ name: `p${n}`, in: "query" })) } }, "500"],
    ["GET", { get: { servers: [{ url: "ftp://files.example" }] } }, "http or https address"],
    [
      "POST",
      withBody({ "application/cbor": {}, "multipart/mixed": {} }),
      "is supported: application/cbor, multipart/mixed",
    ],
    ["POST", { post: { requestBody: { $ref: "#/none" } } }, "leads to nothing"],
    ["TRACE", { trace: {} }, "the method TRACE cannot be sent"],
    ["ALL", { $ref: "#/none" }, "leads to nothing"],
  ])("is left out with its reason: %s %#", async (method, item, problem) => {
    verifies("tools:openapi:left-out");
    const circle = { circle: { $ref: "#/components/parameters/circle" } };
    const { operations, leftOut } = await read({ "/bad": item, "/good": GOOD }, { components: { parameters: circle } });
    expect(operations.map(({ name }) => name)).toEqual(["good"]);
    expect(leftOut).toEqual([{ operation: `${method} /bad`, problem: expect.stringContaining(problem) }]);
  });

  it("is left out if its path has a variable that no parameter describes", async () => {
    const { leftOut } = await read({ "/a/{id}/{other}": { get: {}, put: {} }, "/good": GOOD });
    expect(leftOut.map(({ operation }) => operation)).toEqual(["GET /a/{id}/{other}", "PUT /a/{id}/{other}"]);
    expect(leftOut[0]?.problem).toContain("{id}");
    const id = { name: "id", in: "path", required: true };
    const partly = await read({ "/a/{id}/{other}": { get: { parameters: [id] } }, "/good": GOOD });
    expect(partly.leftOut.map(({ problem }) => problem)).toEqual([expect.stringContaining("{other}")]);
  });

  it("keeps its name, so that the names of others do not depend on it", async () => {
    const operation = { operationId: "same", requestBody: { content: { "application/cbor": {} } } };
    const { operations } = await read({ "/a": { post: operation }, "/b": { get: { operationId: "same" } } });
    expect(operations.map(({ name, path }) => [name, path])).toEqual([["same_2", "/b"]]);
  });

  it("fails the description if no other is left, or if there are too many", async () => {
    await expect(read({ "/bad": withBody({ "application/cbor": {} }) })).rejects.toThrow(
      "none of its operations can be a tool. POST /bad: no media type",
    );
    const many = Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`/p${n}`, { get: {} }]));
    await expect(read(many)).rejects.toThrow("more than 5000 operations");
  });
});

it("ignores the headers that the request itself decides", async () => {
  const names = ["Accept", "Content-Type", "Authorization", "Cookie", "Host", "X-Own"];
  const { operations } = await read({ "/a": { get: { parameters: names.map((name) => ({ name, in: "header" })) } } });
  expect(operations[0]?.parameters.map(({ name }) => name)).toEqual(["X-Own"]);
});

it("gives no body to HEAD, whose requests have none", async () => {
  const operation = { requestBody: { content: { "application/json": {} } } };
  const { operations } = await read({ "/a": { get: operation, head: operation, delete: operation } });
  expect(operations.map(({ method, body }) => [method, body !== undefined])).toEqual([
    ["GET", true],
    ["DELETE", true],
    ["HEAD", false],
  ]);
});

it("a description has 5,000 operations at most, those that cannot be tools among them", async () => {
  const paths = (good: number, bad: number): JsonObject => ({
    ...Object.fromEntries(Array.from({ length: good }, (_, index) => [`/good/${index}`, { get: {} }])),
    ...Object.fromEntries(Array.from({ length: bad }, (_, index) => [`/bad/${index}`, withParameter({ in: "query" })])),
  });
  const { operations, leftOut } = await read(paths(1, 4999));
  expect([operations.length, leftOut.length]).toEqual([1, 4999]);
  await expect(read(paths(1, 5000))).rejects.toThrow("more than 5000 operations");
  await expect(read(paths(5001, 0))).rejects.toThrow("more than 5000 operations");
});
