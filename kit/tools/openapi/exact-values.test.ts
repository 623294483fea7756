import { expect, it } from "vitest";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { buildRequest } from "./build-request.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { operationsOf } from "./rest-operation.ts";
import { restResult } from "./rest-result.ts";

const answered = (body: string | Uint8Array<ArrayBuffer>, type: string): Promise<unknown> =>
  restResult(new Response(body, { headers: { "content-type": type } }), new CallSecrets());

it("answers keep their long integers, and are read in the character set that they name", async () => {
  verifies("tools:openapi:breadth");
  expect(await answered('{"id":12345678901234567891}', "application/json")).toEqual({ id: "12345678901234567891" });
  const latin = new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe9, 0x22, 0x7d]);
  expect(await answered(latin, "application/json; charset=iso-8859-1")).toEqual({ a: "é" });
  expect(await answered('{"a":"é"}', 'application/json; charset="no-such-set"')).toEqual({ a: "é" });
});

const YAML = `
openapi: 3.1.0
info: { title: Notes, version: 1.0 }
servers: [{ url: "https://api.example.com" }]
x-common: &common
  responses: {}
  parameters: &parameters [{ name: id, in: path, required: true, schema: { type: integer } }]
paths:
  /notes/{id}:
    patch:
      <<: *common
      operationId: change
      requestBody:
        content:
          application/merge-patch+json:
            schema: { type: object, properties: { title: { type: string }, more: { type: object, properties: { a: { type: string } } } } }
${Array.from({ length: 150 }, (_, at) => `  /other/${at}/{id}:\n    get: { operationId: other${at}, parameters: *parameters, responses: {} }`).join("\n")}
`;

it("descriptions in YAML may merge maps and name one value many times, and null is what a merge patch removes", async () => {
  verifies("tools:openapi:breadth");
  const { operations } = operationsOf(await OpenApiDocument.read(YAML), undefined);
  expect(operations).toHaveLength(151);
  const [change] = operations;
  if (change === undefined) return expect.unreachable();
  expect(change.parameters.map(({ name }) => name)).toEqual(["id"]);
  const { title } = Object(change.body?.schema).properties;
  expect(title).toEqual({ anyOf: [{ type: "string" }, { type: "null" }] });
  const { url, body } = buildRequest(change, { id: "12345678901234567891", body: { title: null } });
  expect([url.href, body]).toEqual(["https://api.example.com/notes/12345678901234567891", '{"title":null}']);
});
