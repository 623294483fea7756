import { channel } from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSIONS = "/apps/echo/users/u/sessions";

describe("HEAD", () => {
  it.each(["/list-apps", SESSIONS, `${SESSIONS}/s`, `${SESSIONS}/missing`])(
    "answers as GET %s would, without the body",
    async (url) => {
      verifies("wire:head");
      await using world = await startGateway();
      await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s` });
      const base = await world.listen();
      const [get, head] = [await fetch(base + url), await fetch(base + url, { method: "HEAD" })];
      const text = await get.text();
      expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
        get.status,
        get.headers.get("content-type"),
        "",
      ]);
      if (get.ok) expect(head.headers.get("content-length")).toBe(`${Buffer.byteLength(text)}`);
    },
  );
});

describe("a whole run", () => {
  it("opens no connection to any other system", async () => {
    verifies("events:webhooks");
    const opened: unknown[] = [];
    const connections = channel("net.client.socket");
    const listener = (message: unknown): void => void opened.push(message);
    connections.subscribe(listener);
    try {
      await using world = await startGateway();
      await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s` });
      const payload = {
        appName: "echo",
        userId: "u",
        sessionId: "s",
        newMessage: { role: "user", parts: [{ text: "hi" }] },
      };
      expect((await world.gateway.inject({ method: "POST", url: "/run", payload })).statusCode).toBe(200);
      expect((await world.gateway.inject({ method: "DELETE", url: `${SESSIONS}/s` })).statusCode).toBe(200);
    } finally {
      connections.unsubscribe(listener);
    }
    expect(opened).toEqual([]);
  });
});
