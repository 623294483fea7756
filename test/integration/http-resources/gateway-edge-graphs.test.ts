import { describe, expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const DARK_GRAPH = `digraph "agents" {
  graph [rankdir="LR", bgcolor="#333537"];
  "echo_root" [label="🤖 echo_root", shape="ellipse", style="filled,rounded", fillcolor="#0F5223", color="#0F5223", fontcolor="#CCCCCC"];
  "add" [label="🔧 add", shape="box", style="filled,rounded", fillcolor="#0F5223", color="#0F5223", fontcolor="#CCCCCC"];
  "echo_root" -> "add" [color="#69CB87"];
  "helper" [label="🤖 helper", shape="ellipse", style="rounded", color="#CCCCCC", fontcolor="#CCCCCC"];
  "echo_root" -> "helper" [color="#CCCCCC", arrowhead="none"];
}
`;

describe("graphs over HTTP", () => {
  it("draw the agents with an event's call marked, under both prefixes", async () => {
    verifies("endpoints-http:event-graph", "endpoints-http:event-graph:real", "server-objects:graph-response:dot-src");
    verifies("what-the-service-does:event-graph");
    await using world = await startGateway();
    const call = createEvent({
      id: "ev-1",
      invocationId: "e-1",
      author: "echo_root",
      timestamp: 1,
      content: { role: "model", parts: [{ functionCall: { id: "c", name: "add", args: {} } }] },
    });
    await world.store.createSession({ appName: "echo", userId: "u", id: "s", events: [call] });
    for (const prefix of ["", "/dev"]) {
      const response = await world.gateway.inject(`${prefix}/apps/echo/users/u/sessions/s/events/ev-1/graph`);
      expect(response.json()).toEqual({ dotSrc: DARK_GRAPH });
    }
  });

  it("are an empty object for an unknown event, and 404 for an unknown session or app", async () => {
    verifies("wire:graph:unknown-event");
    await using world = await startGateway();
    await world.store.createSession({ appName: "echo", userId: "u", id: "s" });
    const answers = await Promise.all(
      ["echo/users/u/sessions/s", "echo/users/u/sessions/none", "none/users/u/sessions/s"].map(async (session) => {
        const response = await world.gateway.inject(`/apps/${session}/events/none/graph`);
        return [response.statusCode, response.json<object>()];
      }),
    );
    expect(answers).toEqual([
      [200, {}],
      [404, expect.objectContaining({ reason: "SESSION_NOT_FOUND" })],
      [404, expect.objectContaining({ reason: "APP_NOT_FOUND" })],
    ]);
  });

  it("give the structure of an app in the developer UI's form", async () => {
    await using world = await startGateway();
    for (const url of ["/dev/apps/echo/build_graph", "/dev/build_graph/echo"]) {
      expect((await world.gateway.inject(url)).json()).toEqual({
        name: "echo",
        root_agent: {
          name: "echo_root",
          type: "agent",
          description: "Echoes",
          instruction: "You echo.",
          tools: [{ name: "add", type: "tool", description: "Adds" }],
          sub_agents: [{ name: "helper", type: "agent", description: "Helps", tools: [], sub_agents: [] }],
        },
        plugins: [],
      });
    }
  });

  it("draw the structure in both themes, from the root or from a node below it", async () => {
    await using world = await startGateway();
    const draw = async (query: string) =>
      (await world.gateway.inject(`/dev/apps/echo/build_graph_image${query}`)).json<
        Record<string, { dotSrc: string }>
      >();
    const [light, dark, helper] = [
      await draw("?dark_mode=false"),
      await draw("?dark_mode=true"),
      await draw("?node=helper"),
    ];
    expect([Object.keys(light), Object.keys(helper)]).toEqual([
      ["", "dotSrc"],
      ["helper", "dotSrc"],
    ]);
    expect(light[""]?.dotSrc).toContain('"echo_root" -> "helper"');
    expect(dark[""]?.dotSrc).toBe(
      light[""]?.dotSrc
        .replaceAll("#FFFFFF", "#1B1B1F")
        .replaceAll("#F4F5F7", "#2B2C31")
        .replaceAll("#B6BAC3", "#5C5E66")
        .replaceAll("#1D2024", "#E6E6EA")
        .replaceAll("#6E737C", "#9A9CA5"),
    );
    const missing = await world.gateway.inject("/dev/build_graph_image/echo?node=none");
    expect([missing.statusCode, missing.json<{ reason: string }>().reason]).toEqual([404, "AGENT_NOT_FOUND"]);
  });

  it("draw the agents alone", async () => {
    await using world = await startGateway();
    const [old, current] = await Promise.all(
      ["/dev/echo/graph?dark_mode=true", "/dev/apps/echo/graph?dark_mode=true"].map((url) => world.gateway.inject(url)),
    );
    expect(old?.json()).toEqual(current?.json());
    expect(current?.json<{ dotSrc: string }>().dotSrc).toContain('bgcolor="#333537"');
  });
});
