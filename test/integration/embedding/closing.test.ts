import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createServer, type ServerOptions } from "#services/standalone/index.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { messageTo, scriptedAgent, startMounted } from "#test/helpers/worlds/mounted-world.ts";

/** Stores and a loader that record their end, and a session for a run. */
async function ownedParts(ended: string[]) {
  const store = new InMemorySessionStore({ clock: systemClock, ids: new UuidV7Generator() });
  await store.createSession({ appName: "echo", userId: "u", id: "s" });
  const stores = {
    sessionService: store,
    runJournal: store,
    [Symbol.asyncDispose]: async () => {
      const { runs } = await store.list({ pageSize: 10 });
      ended.push(`stores closed, run ${runs[0]?.status}`);
    },
  };
  return { store, stores };
}

class RecordingLoader extends StaticAgentLoader {
  readonly #ended: string[];

  constructor(ended: string[], ...agents: ConstructorParameters<typeof StaticAgentLoader>) {
    super(...agents);
    this.#ended = ended;
  }

  override async close(): Promise<void> {
    this.#ended.push("loader closed");
  }
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

describe("closing the app in which a server is mounted", () => {
  it("waits for the run and its answer, and then closes loader and stores, once", async () => {
    verifies("platform:embedded:close", "platform:embedded:stores");
    const ended: string[] = [];
    const { stores } = await ownedParts(ended);
    const held = heldStep("done");
    const agentLoader = new RecordingLoader(ended, [scriptedAgent([held.step])]);
    const app = fastify();
    app.addHook("preClose", async () => void ended.push("own preClose"));
    await using world = await startMounted({ agentLoader, stores }, { app });
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const answer = post(`${url}/agents/run_sse`, messageTo("echo"));
    await held.begun;
    const closed = world.app.close();
    await expect.poll(() => ended).toEqual(["own preClose"]);
    held.release();
    expect(await (await answer).text()).toContain('"text":"done"');
    await closed;
    await world.server.close();
    expect(ended).toEqual(["own preClose", "loader closed", "stores closed, run succeeded"]);
  });

  it.each([
    [false, "interrupted", "RUN_INTERRUPTED"],
    [true, "pending", undefined],
  ] as const)(
    "ends a run that takes longer, or with sharedStores %j hands it over",
    async (sharedStores, status, error) => {
      verifies("platform:embedded:close");
      const ended: string[] = [];
      const { store, stores } = await ownedParts(ended);
      const held = heldStep();
      const config = { SHUTDOWN_DRAIN_MS: 0 };
      const agents = [scriptedAgent([held.step])];
      await using world = await startMounted({ agents, stores, sharedStores, config });
      const url = await world.app.listen({ host: "127.0.0.1", port: 0 });
      const answer = await post(`${url}/agents/run_sse`, messageTo("echo"));
      const text = answer.text().catch(() => "cut off");
      await held.begun;
      await world.app.close();
      expect(ended).toEqual([`stores closed, run ${status}`]);
      expect(await text).toEqual(error === undefined ? "cut off" : expect.stringContaining(error));
      expect((await store.list({ pageSize: 1 })).runs[0]?.error?.reason).toBe(error);
    },
  );
});

describe("closing a server", () => {
  it("that is mounted refuses its paths and leaves the app open", async () => {
    verifies("platform:embedded:close");
    const app = fastify();
    app.get("/own", async () => "own");
    await using world = await startMounted({}, { app });
    await world.server.close();
    expect((await app.inject("/agents/list-apps")).json()).toMatchObject({
      status: 503,
      reason: "SERVER_SHUTTING_DOWN",
    });
    expect((await app.inject("/own")).body).toBe("own");
  });

  it("that listens ends its runs, and closes its port, loader and stores", async () => {
    verifies("platform:embedded:close");
    const ended: string[] = [];
    const { stores } = await ownedParts(ended);
    const held = heldStep("done");
    const agentLoader = new RecordingLoader(ended, [scriptedAgent([held.step])]);
    await using server = await createServer({ agentLoader, stores });
    const url = await server.listen({ port: 0 });
    const answer = post(`${url}/run`, messageTo("echo"));
    await held.begun;
    const closed = server.close();
    held.release();
    expect((await answer).status).toBe(200);
    await closed;
    expect(ended).toEqual(["loader closed", "stores closed, run succeeded"]);
    await expect(fetch(`${url}/health`)).rejects.toThrow("fetch failed");
  });

  it("that was never used, or could not be created, closes what it was given", async () => {
    verifies("platform:embedded:close", "platform:embedded:stores");
    const ended: string[] = [];
    const given = async (): Promise<ServerOptions> => ({
      agentLoader: new RecordingLoader(ended, [scriptedAgent()]),
      stores: [
        (await ownedParts(ended)).stores,
        {
          [Symbol.dispose]: () => void ended.push("other"),
          ...(await ownedParts([])).stores,
          [Symbol.asyncDispose]: undefined,
        },
      ],
    });
    await (await createServer(await given())).close();
    const both = ["loader closed", "other", "stores closed, run undefined"];
    expect(ended.splice(0)).toEqual(both);
    await expect(createServer({ ...(await given()), config: { PORT: -1 } })).rejects.toThrow("PORT must be");
    expect(ended).toEqual(both);
  });
});
