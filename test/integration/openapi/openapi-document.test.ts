import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { listIn, objectIn, operationsOf, parametersOf } from "#test/helpers/openapi-operations.ts";
import { routesOf } from "#test/helpers/printed-routes.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

/** Pages, their files, and what only the UI's page reads: they are not for callers. */
const PAGES = [
  ...[
    "/",
    "/docs",
    "/docs/*",
    "/console",
    "/console/*",
    "/console/evaluations",
    "/console/inbox",
    "/console/schedules",
    "/console/usage",
    "/console/webhooks",
    "/dev-ui",
    "/dev-ui/",
    "/dev-ui/*",
  ],
  ...["/auth/sign-in.css", "/auth/sign-in.js", "/auth/signed-in.js"],
  ...["/dev-ui/assets/config/runtime-config.json", "/dev-ui/assets/fairlead.svg", "/dev-ui/assets/fairlead.js"],
];

async function readDocument(): Promise<JsonObject> {
  await using world = await startGateway({ config: { DEV_UI: true } });
  const response = await world.gateway.inject("/openapi.json");
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  return response.json<JsonObject>();
}

describe("the API's description", () => {
  it("is valid OpenAPI 3.1", async () => {
    verifies("wire:openapi");
    const document = await readDocument();
    expect(document["openapi"]).toBe("3.1.0");
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  it("has an operation with its parameters, body, errors and answers", async () => {
    const document = await readDocument();
    const operation = objectIn(document, "paths", "/dev/apps/{appName}/build_graph_image", "get");
    expect(operation).toEqual({
      operationId: "drawStructure",
      summary: "The structure of an app as a drawing",
      description: "Also served as `GET /dev/build_graph_image/{appName}`.",
      tags: ["graphs"],
      security: [{ bearer: [] }, { apiKey: [] }],
      parameters: [
        {
          name: "appName",
          in: "path",
          required: true,
          description: "The name of an app, as `GET /list-apps` lists it.",
          schema: { type: "string" },
          example: "echo",
        },
        {
          name: "dark_mode",
          in: "query",
          required: false,
          description: "Colours for a dark page.",
          schema: { type: "boolean" },
        },
        {
          name: "node",
          in: "query",
          required: false,
          description: "Draw only this agent and those below it.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: {
          description: "Success: The structure of an app as a drawing",
          content: { "application/json": { schema: { type: "object", additionalProperties: {} } } },
        },
        400: {
          description:
            "`INVALID_IDENTIFIER`: An app, user, session id or file name is empty, over 256 bytes of UTF-8, or has control characters.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
        401: {
          description: expect.stringMatching(/^`UNAUTHENTICATED`: /),
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
        404: {
          description: expect.stringMatching(/^`APP_NOT_FOUND`: .*\n\n`AGENT_NOT_FOUND`: /),
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
        422: {
          description: "`INVALID_FIELD`: A field has the wrong type or value. `detail` lists each problem.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
        429: {
          description:
            "`QUOTA_EXCEEDED`: A quota of the caller's API key, user, app or tenant is used up. `details.limit` and `details.scope` name it, `details.retryAfterSeconds` has the time until it has room again. Quotas of stored data have no such time: delete sessions.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
        default: { $ref: "#/components/responses/OtherError" },
      },
      "x-other-spellings": ["GET /dev/build_graph_image/{appName}"],
    });
  });

  it("describes the credentials and the scope of each operation", async () => {
    verifies("authentication:access:described");
    const document = await readDocument();
    expect(Object.keys(objectIn(document, "components", "securitySchemes"))).toEqual(["bearer", "apiKey"]);
    const operations = operationsOf(document);
    const found = new Map(operations.map(({ id, object }) => [id, [object["security"], object["x-scope"]]]));
    const ofScope = (...scopes: readonly string[]) => [{ bearer: scopes }, { apiKey: scopes }];
    expect(found.get("readHealth")).toEqual([[], undefined]);
    expect(found.get("listApps")).toEqual([ofScope(), undefined]);
    expect(found.get("runAgentStreamed_2")).toEqual([ofScope("runs:write"), "runs:write"]);
    const statuses = ({ object }: (typeof operations)[number]) => Object.keys(objectIn(object, "responses"));
    for (const operation of operations) {
      const isOpen = listIn(operation.object, "security").length === 0;
      expect(statuses(operation).includes("401"), operation.id).toBe(!isOpen);
    }
    const open = operations.filter(({ object }) => listIn(object, "security").length === 0).map(({ id }) => id);
    expect(open.toSorted()).toEqual([
      ...["readDevUiConfig", "readHealth", "readOpenApi", "readReadiness", "readTelemetryConsent", "readVersion"],
    ]);
  });

  it("has every route of the server but the pages", async () => {
    verifies("versioning:http");
    await using world = await startGateway({ config: { DEV_UI: true } });
    const operations = operationsOf((await world.gateway.inject("/openapi.json")).json<JsonObject>());
    const described = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const routes = routesOf(world.gateway);
    const missing = routes.filter(({ method, url }) => {
      const path = url.replace(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}");
      return !described.has(`${method} ${path}`) && !PAGES.includes(url);
    });
    expect(missing).toEqual([]);
    expect(routes).toEqual(
      expect.arrayContaining([
        { method: "POST", url: "/run" },
        { method: "GET", url: "/v1/runs/:runId/stream" },
        { method: "DELETE", url: "/dev/apps/:appName/tests/:testName" },
      ]),
    );
    const paths = operations.map(({ path }) => path);
    expect(paths.filter((path) => PAGES.includes(path))).toEqual([]);
    expect(paths.filter((path) => /\/v\d/.test(path) && !path.startsWith("/v1/"))).toEqual([]);
  });

  it("has a unique id for each operation, a description for each parameter and an example for each body", async () => {
    const operations = operationsOf(await readDocument());
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const operation of operations) {
      for (const parameter of parametersOf(operation))
        expect(parameter["description"], `${operation.id} ${String(parameter["name"])}`).toMatch(/\S.*\.$/);
      for (const media of Object.values(objectIn(operation.object, "requestBody", "content")))
        expect(media, operation.id).toHaveProperty("example");
    }
  });

  it("shows one spelling of each operation under its subject, and has the others in a group of their own", async () => {
    verifies("wire:openapi:spellings");
    const document = await readDocument();
    const operations = operationsOf(document);
    const tags = listIn(document, "tags").map((tag) => (isJsonObject(tag) ? tag["name"] : undefined));
    expect(tags.slice(0, 3)).toEqual(["apps", "sessions", "runs"]);
    expect(tags.at(-1)).toBe("other spellings");
    expect([...new Set(operations.map(({ tag }) => tag))]).toEqual(tags);
    for (const { id, purpose, tag } of operations) expect(tag === "other spellings", id).toBe(id !== purpose);
    const streamed = operations.filter(({ purpose }) => purpose === "runAgentStreamed");
    expect(streamed.map(({ id, method, path }) => [id, method, path])).toEqual([
      ["runAgentStreamed", "POST", "/run_sse"],
      ["runAgentStreamed_2", "POST", "/run-sse"],
    ]);
    expect(streamed[0]?.object["x-other-spellings"]).toEqual(["POST /run-sse"]);
    expect(streamed[1]?.object["description"]).toMatch(/Another spelling of `POST \/run_sse`\.$/);
  });

  it("names no folder, host or version of what the server runs on", async () => {
    const text = JSON.stringify(await readDocument());
    expect(text).not.toContain(REPOSITORY_ROOT);
    expect(text).not.toContain(process.versions.node);
    // The address of a webhook is an example of an address.
    expect(text.replaceAll("https://hooks.example.com/", "")).not.toMatch(/https?:\/\//);
  });
});
