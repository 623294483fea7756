import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { buildRequest } from "./build-request.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { operationsOf } from "./rest-operation.ts";
import { restResult } from "./rest-result.ts";

/** A call of one operation of a file in test/fixtures/openapi, which has the form of a public description. */
interface Row {
  readonly document: string;
  /** Operations of the file, and those that are tools. */
  readonly counts: readonly number[];
  readonly operation: string;
  readonly args: JsonObject;
  readonly sent: { readonly method?: string; readonly url: string; readonly type?: string; readonly body?: string };
}

const ROWS: readonly Row[] = [
  {
    document: "stripe",
    counts: [2, 2],
    operation: "post_customers",
    args: {
      body: { email: "a@b.c", metadata: { order: "1" }, expand: ["x", "y"], items: [{ price: "p1" }, { price: "p2" }] },
    },
    sent: {
      url: "https://api.stripe.com/v1/customers",
      type: "application/x-www-form-urlencoded",
      body: "email=a@b.c&metadata[order]=1&expand[]=x&expand[]=y&items[0][price]=p1&items[1][price]=p2",
    },
  },
  {
    document: "twilio",
    counts: [1, 1],
    operation: "create_message",
    args: { AccountSid: "AC1", body: { To: "+1", MediaUrl: ["u", "v"], Persistent: true } },
    sent: {
      url: "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json",
      body: "To=+1&MediaUrl=u&MediaUrl=v&Persistent=true",
    },
  },
  {
    document: "github",
    counts: [3, 3],
    operation: "issues_add_labels",
    args: { owner: "o", repo: "r", n: "1", body: ["bug"] },
    sent: { url: "https://api.github.com/repos/o/r/issues/1/labels", type: "application/json", body: '["bug"]' },
  },
  {
    document: "slack",
    counts: [2, 2],
    operation: "chat_post_message",
    args: { token: "t", body: { channel: "C1", blocks: "[]" } },
    sent: {
      url: "https://api.example.com/api/chat.postMessage",
      type: "application/x-www-form-urlencoded",
      body: "channel=C1&blocks=[]",
    },
  },
  {
    document: "openai",
    counts: [2, 2],
    operation: "create_response",
    args: { body: { input: [{ role: "user" }] } },
    sent: { url: "https://api.openai.com/v1/responses", body: '{"input":[{"role":"user"}]}' },
  },
  {
    document: "kubernetes",
    counts: [3, 3],
    operation: "patch_core_v1_namespaced_pod",
    args: { namespace: "n", name: "p", body: { spec: {} } },
    sent: {
      method: "PATCH",
      url: "https://api.example.com/api/v1/namespaces/n/pods/p",
      type: "application/merge-patch+json",
      body: '{"spec":{}}',
    },
  },
  {
    document: "google-apis",
    counts: [1, 1],
    operation: "calendar_events_list",
    args: { calendarId: "a@b.c", maxResults: 3, xgafv: "1" },
    sent: {
      method: "GET",
      url: "https://www.googleapis.com/calendar/v3/calendars/a%40b.c/events?$.xgafv=1&maxResults=3",
    },
  },
  {
    document: "azure-resource-manager",
    counts: [1, 1],
    operation: "resources_list",
    args: { id: "s", filter: "a eq 1", expand: ["x", "y"], "api-version": "2021" },
    sent: {
      method: "GET",
      url: "https://api.example.com/subscriptions/s/resources?$filter=a eq 1&$expand=x,y&api-version=2021",
    },
  },
  {
    document: "jira",
    counts: [2, 2],
    operation: "set_issue_property",
    args: { key: "K-1", p: "x", body: 5 },
    sent: { method: "PUT", url: "https://your-domain.atlassian.net/rest/api/3/issue/K-1/properties/x", body: "5" },
  },
  {
    document: "pagerduty",
    counts: [2, 2],
    operation: "list_incidents",
    args: { team_ids: ["a", "b"], From: "me" },
    sent: { method: "GET", url: "https://api.pagerduty.com/incidents?team_ids[]=a&team_ids[]=b" },
  },
  {
    document: "petstore",
    counts: [2, 2],
    operation: "upload_file",
    args: { id: "1", additionalMetadata: "m", body: "AAEC" },
    sent: {
      url: "https://petstore3.swagger.io/api/v3/pet/1/uploadImage?additionalMetadata=m",
      type: "application/octet-stream",
      body: "\u0000\u0001\u0002",
    },
  },
  {
    document: "box",
    counts: [2, 2],
    operation: "put_metadata",
    args: { id: "1", body: [{ op: "add" }] },
    sent: {
      method: "PUT",
      url: "https://api.box.com/2.0/files/1/metadata",
      type: "application/json-patch+json",
      body: '[{"op":"add"}]',
    },
  },
  {
    document: "zoom",
    counts: [1, 1],
    operation: "user_create",
    args: { body: { action: "create" } },
    sent: { url: "https://api.zoom.us/v2/users", type: "application/json", body: '{"action":"create"}' },
  },
  {
    document: "sendgrid",
    counts: [1, 1],
    operation: "delete_suppression",
    args: { body: { emails: ["a"] } },
    sent: { method: "DELETE", url: "https://api.sendgrid.com/v3/suppression", body: '{"emails":["a"]}' },
  },
  {
    document: "shopify",
    counts: [2, 2],
    operation: "graphql",
    args: { body: "{ shop { name } }" },
    sent: { url: "https://shop.example/admin/api/graphql", type: "application/graphql", body: "{ shop { name } }" },
  },
  {
    document: "notion",
    counts: [1, 1],
    operation: "post_page",
    args: { "Notion-Version": "2022-06-28", body: { icon: null, parent: {} } },
    sent: { url: "https://api.notion.com/v1/pages", body: '{"icon":null,"parent":{}}' },
  },
  {
    document: "digitalocean",
    counts: [1, 1],
    operation: "droplets_create",
    args: { body: { name: "a" } },
    sent: { url: "https://api.digitalocean.com/v2/droplets", body: '{"name":"a"}' },
  },
  {
    document: "adyen",
    counts: [1, 1],
    operation: "post_payments",
    args: { body: { amount: { value: 100 } } },
    sent: { url: "https://checkout-test.adyen.com/v71/payments", body: '{"amount":{"value":100}}' },
  },
  {
    document: "plaid",
    counts: [1, 1],
    operation: "link_token_create",
    args: { body: { user: { id: 1 }, country_codes: ["US"], more: 1 } },
    sent: {
      url: "https://production.plaid.com/link/token/create",
      body: '{"user":{"id":1},"country_codes":["US"],"more":1}',
    },
  },
  {
    document: "asana",
    counts: [2, 2],
    operation: "get_tasks",
    args: { opt_fields: ["name", "due_on"] },
    sent: { method: "GET", url: "https://app.asana.com/api/1.0/tasks?opt_fields=name,due_on" },
  },
  {
    document: "elasticsearch",
    counts: [2, 2],
    operation: "bulk",
    args: { body: [{ index: {} }, { a: 1 }] },
    sent: { url: "https://es.example/_bulk", type: "application/x-ndjson", body: '{"index":{}}\n{"a":1}\n' },
  },
  {
    document: "openapi-3-2",
    counts: [5, 4],
    operation: "by_query",
    args: { all: { a: "x y", b: ["1", "2"] } },
    sent: { method: "GET", url: "https://api.example/search?a=x y&b=1&b=2" },
  },
];

const FOLDER = new URL("../../../test/fixtures/openapi/", import.meta.url);

describe("the form of a public description", () => {
  it.each(ROWS)(
    "has tools, which send what its server reads: $document",
    async ({ document, counts, operation, args, sent }) => {
      verifies("tools:openapi:breadth");
      const source = await readFile(new URL(`${document}.yaml`, FOLDER), "utf8");
      const { operations, leftOut } = operationsOf(await OpenApiDocument.read(source), undefined);
      expect([operations.length + leftOut.length, operations.length]).toEqual(counts);
      const called = operations.find(({ name }) => name === operation) ?? expect.unreachable(operation);
      const { url, query, headers, body } = buildRequest(called, args);
      const type = headers.get("content-type") ?? undefined;
      const address = url.href + (query.length === 0 ? "" : `?${query.join("&")}`);
      const written = body === undefined ? undefined : Buffer.from(body).toString("utf8");
      const readable = type === "application/x-www-form-urlencoded" ? decodeURIComponent(written ?? "") : written;
      expect({
        ...(sent.method !== undefined && { method: called.method }),
        url: address.replace(/(?<=\?).*/, decodeURIComponent),
        ...(sent.type !== undefined && { type }),
        ...(readable !== undefined && { body: readable }),
      }).toEqual(sent);
    },
  );

  it("is that of more than twenty", () => {
    expect(new Set(ROWS.map(({ document }) => document)).size).toBeGreaterThan(20);
  });
});

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
