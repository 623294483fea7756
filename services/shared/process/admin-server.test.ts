import { describe, expect, it } from "vitest";
import type { Metrics } from "../metrics/metrics.ts";
import { openAdminServer } from "./admin-server.ts";

const up: Metrics["read"] = (accept) => ({
  contentType: "text/plain",
  text: accept === "*/*" ? "up 1\n" : "up 2\n",
});

function open(missing: readonly string[], readMetrics: Metrics["read"] = up) {
  return openAdminServer({ host: "127.0.0.1", port: 0, readiness: { missing, unavailable: ["store"] }, readMetrics });
}

async function ask(port: number, path: string, method = "GET") {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return [response.status, await response.text()];
}

describe("the admin server", () => {
  it("answers probes and scrapers, and names the parts that are not ready", async () => {
    await using ready = await open([]);
    await using waiting = await open(["session", "store"]);
    expect(await ask(ready.port, "/health")).toEqual([200, '{"status":"ok"}']);
    expect(await ask(ready.port, "/ready")).toEqual([200, '{"status":"ready"}']);
    expect(await ask(ready.port, "/ready?verbose")).toEqual([200, '{"status":"ready","unavailable":["store"]}']);
    expect(await ask(ready.port, "/metrics")).toEqual([200, "up 1\n"]);
    expect(await ask(waiting.port, "/health")).toEqual([200, '{"status":"ok"}']);
    expect(await ask(waiting.port, "/ready")).toEqual([503, '{"status":"not ready","notReady":["session","store"]}']);
  });

  it("adds the apps of a runner, and survives a failure to read them", async () => {
    const apps = [{ name: "shop", agentRevision: "4be0c1a2d93f" }];
    const answers: (() => Promise<unknown>)[] = [
      async () => apps,
      async () => {
        throw new Error("secret detail");
      },
    ];
    const options = {
      host: "127.0.0.1",
      port: 0,
      readiness: { missing: ["session"], unavailable: [] },
      readMetrics: up,
    };
    await using server = await openAdminServer({
      ...options,
      readApps: () => answers.shift()?.() ?? Promise.resolve([]),
    });
    expect(await ask(server.port, "/ready")).toEqual([503, '{"status":"not ready","notReady":["session"]}']);
    const [code, text] = await ask(server.port, "/ready?apps");
    expect([code, JSON.parse(String(text))]).toEqual([503, { status: "not ready", notReady: ["session"], apps }]);
    expect(await ask(server.port, "/ready?apps")).toEqual([
      500,
      '{"status":500,"error":"The apps could not be read."}',
    ]);
    await using other = await open([]);
    expect(await ask(other.port, "/ready?apps")).toEqual([200, '{"status":"ready"}']);
  });

  it("answers nothing else, and survives metrics that fail", async () => {
    await using server = await open([], () => {
      throw new Error("secret detail");
    });
    expect((await ask(server.port, "/"))[0]).toBe(404);
    expect((await ask(server.port, "/health", "POST"))[0]).toBe(405);
    expect(await ask(server.port, "/metrics")).toEqual([
      500,
      '{"status":500,"error":"The metrics could not be collected."}',
    ]);
  });

  it("names the setting of a port that is taken", async () => {
    await using server = await open([]);
    const second = openAdminServer({
      ...{ host: "127.0.0.1", port: server.port, readiness: { missing: [], unavailable: [] }, readMetrics: up },
    });
    await expect(second).rejects.toMatchObject({
      reason: "CONFIGURATION",
      message: `Port ${server.port} on 127.0.0.1 is in use. Stop the other server, or choose another port with ADMIN_PORT.`,
    });
  });
});
