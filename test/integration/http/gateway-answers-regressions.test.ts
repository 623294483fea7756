import { describe, expect, it } from "vitest";
import { openRawHttp, statusesIn } from "#test/helpers/clients/raw-http.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSIONS = "/apps/echo/users/u/sessions";
const SAFE = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

describe("headers of all answers", () => {
  it.each([
    ["an answer", "GET", "/list-apps", 200],
    ["the answer to a probe", "GET", "/health", 200],
    ["an error", "GET", `${SESSIONS}/nope`, 404],
    ["no route", "GET", "/nope", 404],
    ["a wrong method", "PUT", "/run", 405],
    ["a path that cannot be read", "GET", "/apps/%ZZ/users/u/sessions", 400],
    ["a refused body", "POST", "/run", 422],
  ] as const)("keep it from being sniffed, embedded and stored: %s", async (_name, method, url, status) => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ method, url, ...(method === "POST" && { payload: {} }) });
    expect([response.statusCode, response.headers]).toEqual([status, expect.objectContaining(SAFE)]);
  });

  it("are those of streams and of what is not an HTTP too", async () => {
    await using world = await startGateway();
    const address = await world.listen();
    await fetch(`${address}${SESSIONS}/s`, { method: "POST" });
    const body = JSON.stringify({
      appName: "echo",
      userId: "u",
      sessionId: "s",
      newMessage: { role: "user", parts: [{ text: "x" }] },
    });
    const stream = await fetch(`${address}/run_sse`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(Object.fromEntries(stream.headers)).toMatchObject({ ...SAFE, "cache-control": "no-store, no-transform" });
    await stream.text();
    await using raw = openRawHttp(address);
    raw.socket.write("nonsense\r\n\r\n");
    const received = await raw.closed;
    expect(statusesIn(received)).toEqual([400]);
    for (const [name, value] of Object.entries(SAFE)) expect(received).toContain(`${name}: ${value}`);
  });

  it("let an origin embed the answer that CORS allows, and no other", async () => {
    await using world = await startGateway({ config: { CORS_ORIGINS: ["https://ok.example"] } });
    const policy = async (origin: string | undefined): Promise<unknown> => {
      const response = await world.gateway.inject({
        url: "/list-apps",
        headers: origin === undefined ? {} : { origin },
      });
      return response.headers["cross-origin-resource-policy"];
    };
    expect([await policy("https://ok.example"), await policy("https://evil.example"), await policy(undefined)]).toEqual(
      ["cross-origin", "same-origin", "same-origin"],
    );
  });

  it("give a file that a user stored out as data, never as a page", async () => {
    await using world = await startGateway();
    const url = `${SESSIONS}/s/artifacts`;
    const data = Buffer.from("<script>alert(1)</script>").toString("base64");
    const artifact = { inlineData: { mimeType: "text/html", data } };
    await world.gateway.inject({ method: "POST", url, payload: { filename: "page.html", artifact } });
    const { headers } = await world.gateway.inject(`${url}/page.html`);
    expect(headers).toMatchObject({ ...SAFE, "content-type": "application/json; charset=utf-8" });
  });
});

describe("requests with several Host headers", () => {
  it.each([
    ["two of one name", "Host: localhost\r\nHost: localhost"],
    ["two names", "Host: localhost\r\nhost: evil.example"],
  ])("are refused: %s", async (_name, lines) => {
    await using world = await startGateway();
    await using raw = openRawHttp(await world.listen());
    raw.socket.write(`GET /list-apps HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
    const received = await raw.closed;
    expect([statusesIn(received), /"reason":"(\w+)"/.exec(received)?.[1]]).toEqual([[400], "MALFORMED_REQUEST"]);
  });
});
