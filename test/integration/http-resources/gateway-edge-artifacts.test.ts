import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const BASE = "/apps/echo/users/u/sessions/s/artifacts";
const note = (data: string) => ({ inlineData: { mimeType: "text/plain", data } });

async function world(): Promise<GatewayWorld> {
  return startGateway({ clock: new FixedClock(1_787_140_000_500) });
}

async function save({ gateway }: GatewayWorld, body: object): Promise<unknown> {
  const response = await gateway.inject({ method: "POST", url: BASE, payload: body });
  return response.json();
}

async function get({ gateway }: GatewayWorld, path: string): Promise<readonly [number, unknown]> {
  const response = await gateway.inject(BASE + path);
  return [response.statusCode, response.json()];
}

describe("artifacts over HTTP", () => {
  it("saves versions from 0 and says what is known of each", async () => {
    verifies(
      "endpoints-http:list-artifact-versions",
      "what-the-service-does:list-artifact-versions",
      "endpoints-http:save-artifact",
      "endpoints-http:list-artifact-versions:route",
    );
    await using edge = await world();
    const saved = await save(edge, {
      filename: "dir/a.txt",
      artifact: note("YWxwaGE="),
      custom_metadata: { tag_one: 1 },
    });
    await save(edge, { filename: "dir/a.txt", artifact: note("YmV0YQ==") });
    const version = (number: number, customMetadata: object) => ({
      version: number,
      canonicalUri: `artifact://echo/u/s/s/dir%2Fa.txt/${number}`,
      customMetadata,
      createTime: 1_787_140_000.5,
      mimeType: "text/plain",
    });
    expect(saved).toEqual(version(0, { tag_one: 1 }));
    expect(await get(edge, "/dir/a.txt/versions")).toEqual([200, [0, 1]]);
    expect(await get(edge, "/dir/a.txt/versions/metadata")).toEqual([
      200,
      [version(0, { tag_one: 1 }), version(1, {})],
    ]);
    expect(await get(edge, "/dir%2Fa.txt/versions/0/metadata")).toEqual([200, version(0, { tag_one: 1 })]);
    expect(await get(edge, "/dir/a.txt/versions/latest/metadata")).toEqual([200, version(1, {})]);
  });

  it("loads the newest version, or the one named in the query or the path", async () => {
    verifies("endpoints-http:load-artifact", "wire:artifact:names");
    await using edge = await world();
    await save(edge, { filename: "dir/a.txt", artifact: note("YWxwaGE=") });
    await save(edge, { filename: "dir/a.txt", artifact: note("YmV0YQ==") });
    const loads = [
      "/dir/a.txt",
      "/dir%2Fa.txt",
      "/dir/a.txt/versions/latest",
      "/dir/a.txt?version=0",
      "/dir/a.txt/versions/0",
    ];
    expect(await Promise.all(loads.map((path) => get(edge, path)))).toEqual([
      [200, note("YmV0YQ==")],
      [200, note("YmV0YQ==")],
      [200, note("YmV0YQ==")],
      [200, note("YWxwaGE=")],
      [200, note("YWxwaGE=")],
    ]);
  });

  it("lists a session's names with those of its user, whose files every session sees", async () => {
    verifies(
      "what-the-service-does:list-artifact-names",
      "endpoints-http:list-artifacts:route",
      "endpoints-http:list-artifacts",
    );
    await using edge = await world();
    expect(await get(edge, "")).toEqual([200, []]);
    await save(edge, { filename: "user:p.txt", artifact: { text: "profile" } });
    await save(edge, { filename: "a.txt", artifact: note("YQ==") });
    expect(await get(edge, "")).toEqual([200, ["a.txt", "user:p.txt"]]);
    const elsewhere = await edge.gateway.inject("/apps/echo/users/u/sessions/other/artifacts/user%3Ap.txt");
    expect(elsewhere.json()).toEqual({ text: "profile" });
  });

  it("deletes all versions, and succeeds again", async () => {
    verifies(
      "what-the-service-does:delete-artifact",
      "endpoints-http:delete-artifact:route",
      "endpoints-http:delete-artifact",
    );
    await using edge = await world();
    for (const data of ["YQ==", "Yg=="]) await save(edge, { filename: "dir/a.txt", artifact: note(data) });
    expect(await get(edge, "/dir/a.txt/versions")).toEqual([200, [0, 1]]);
    const remove = () => edge.gateway.inject({ method: "DELETE", url: `${BASE}/dir/a.txt` });
    const first = await remove();
    expect([first.statusCode, first.headers["content-type"], first.body]).toEqual([
      200,
      "application/json; charset=utf-8",
      "null",
    ]);
    expect((await remove()).body).toBe("null");
    expect(await get(edge, "/dir/a.txt/versions")).toEqual([200, []]);
    expect((await get(edge, "/dir/a.txt/versions/0"))[0]).toBe(404);
  });

  it("takes base64 in the URL-safe alphabet and without padding, and answers it in the standard one", async () => {
    verifies("wire:output:base64");
    await using edge = await world();
    await save(edge, { filename: "b.bin", artifact: { inline_data: { mime_type: "application/x", data: "-_-_YQ" } } });
    expect(await get(edge, "/b.bin")).toEqual([200, { inlineData: { mimeType: "application/x", data: "+/+/YQ==" } }]);
  });

  it.each([
    ["not base64", { filename: "a", artifact: note("a b!") }, 422, "INVALID_FIELD"],
    ["no content", { filename: "a", artifact: {} }, 422, "INVALID_FIELD"],
    ["two contents", { filename: "a", artifact: { text: "x", ...note("YQ==") } }, 422, "INVALID_FIELD"],
    ["no name", { artifact: note("YQ==") }, 422, "INVALID_FIELD"],
    ["an empty name", { filename: "", artifact: note("YQ==") }, 422, "INVALID_FIELD"],
    ["a name of the server's own", { filename: "_inline/e-1/0", artifact: note("YQ==") }, 400, "INVALID_IDENTIFIER"],
    ["a control character in the name", { filename: "a\u0000b", artifact: note("YQ==") }, 400, "INVALID_IDENTIFIER"],
    ["a name over 256 bytes", { filename: "é".repeat(129), artifact: note("YQ==") }, 400, "INVALID_IDENTIFIER"],
  ])("refuses to save %s", async (_title, payload, status, reason) => {
    await using edge = await world();
    const response = await edge.gateway.inject({ method: "POST", url: BASE, payload });
    expect([response.statusCode, response.json<{ reason: string }>().reason]).toEqual([status, reason]);
    expect(await get(edge, "")).toEqual([200, []]);
  });

  it.each([
    ["/none.txt", 404, "ARTIFACT_NOT_FOUND", "Artifact not found"],
    ["/a.txt?version=9", 404, "ARTIFACT_NOT_FOUND", "Artifact not found"],
    ["/a.txt/versions/-1", 404, "ARTIFACT_NOT_FOUND", "Artifact not found"],
    ["/a.txt/versions/9/metadata", 404, "ARTIFACT_NOT_FOUND", "Artifact version not found"],
    ["/a.txt?version=x", 422, "INVALID_FIELD", "query.version: Input should be a number"],
    ["/a.txt/versions/first", 422, "INVALID_FIELD", "path.version: Invalid version ID: use a whole number, or latest"],
    [
      "/_inline%2Fe-1%2F0",
      400,
      "INVALID_IDENTIFIER",
      "filename must not start with _inline/: such names belong to the server. Choose another name.",
    ],
  ])("answers %s with %i %s", async (path, status, reason, message) => {
    await using edge = await world();
    await save(edge, { filename: "a.txt", artifact: note("YQ==") });
    const response = await edge.gateway.inject(BASE + path);
    const body = response.json<{ reason: string; message: string }>();
    expect([response.statusCode, body.reason, body.message]).toEqual([status, reason, message]);
  });
});
