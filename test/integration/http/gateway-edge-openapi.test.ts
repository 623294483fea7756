import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly { readonly name: string }[] }>>>
  >;
}

describe("the API's description", () => {
  it("holds each documented route with its parameters, body and answers", async () => {
    verifies("wire:openapi");
    await using world = await startGateway();
    const response = await world.gateway.inject("/openapi.json");
    const document = response.json<OpenApi>();
    expect([response.statusCode, document.openapi]).toEqual([200, "3.1.0"]);
    expect(document.paths["/dev/apps/{appName}/build_graph_image"]).toEqual({
      get: {
        summary: "The structure of an app as a drawing",
        tags: ["graphs"],
        parameters: [
          { name: "appName", in: "path", required: true, schema: { type: "string" } },
          { name: "dark_mode", in: "query", required: false, schema: { type: "boolean" } },
          { name: "node", in: "query", required: false, schema: { type: "string" } },
        ],
        responses: expect.objectContaining({ 200: expect.anything(), 404: expect.anything() }),
      },
    });
    const artifacts = "/apps/{appName}/users/{userId}/sessions/{sessionId}/artifacts";
    expect(Object.keys(document.paths[artifacts] ?? {})).toEqual(["get", "post"]);
    expect(document.paths[`${artifacts}/{path}`]?.["get"]?.parameters?.map(({ name }) => name)).toEqual([
      "appName",
      "userId",
      "sessionId",
      "path",
      "version",
    ]);
  });

  it("names every path of every plugin, and no page", async () => {
    verifies("versioning:http");
    await using world = await startGateway({ config: { DEV_UI: true } });
    const paths = Object.keys((await world.gateway.inject("/openapi.json")).json<OpenApi>().paths);
    expect(paths).toEqual(
      expect.arrayContaining(["/run", "/run_sse", "/list-apps", "/debug/trace/{eventId}", "/openapi.json", "/v1/runs"]),
    );
    expect(paths.filter((path) => /\/v\d/.test(path) && !path.startsWith("/v1/"))).toEqual([]);
    expect(paths.filter((path) => path === "/docs" || path.startsWith("/dev-ui/assets"))).toEqual([]);
  });

  it("can be read on a page that loads nothing from elsewhere", async () => {
    await using world = await startGateway();
    const page = await world.gateway.inject("/docs");
    const script = await world.gateway.inject("/docs/docs.js");
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect([script.statusCode, script.headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(page.body + script.body).not.toMatch(/https?:\/\//);
    expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
  });
});
