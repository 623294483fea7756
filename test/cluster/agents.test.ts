import { describe, expect, it } from "vitest";
import { eventOf, GatewayClient, messageOf, textOf, type WireEvent } from "#test/e2e/suite/gateway-client.ts";
import { forwardPort } from "#test/e2e/targets/port-forward.ts";
import type { Release } from "#tooling/cluster/release.ts";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

/** A kubelet needs at most a minute and a half to update a changed ConfigMap in pods. */
const CHANGED = { timeout: 150_000, interval: 1000 };
/** Longer than that. */
const LONG = { text: "n=400 d=250 s=1", answer: "x".repeat(400), deadlineMs: 240_000 };
const COMPONENTS = `import { BenchModel } from "/app/test-agents/bench/bench-model.ts";
export const registerComponents = (registry) => registry.instances.register("bench-model", new BenchModel());`;

function desk(name: string): object {
  const definition = { name, modelCode: { name: "bench-model" }, instruction: "Obey the words." };
  return { "root_agent.yaml": JSON.stringify(definition), "components.ts": COMPONENTS };
}

const BEFORE = { desk: desk("before"), broken: { "root_agent.yaml": "name: broken\nmodel: [demo/chat\n" } };
const AFTER = {
  desk: desk("after"),
  broken: { "root_agent.yaml": "name: fixed\nmodel: demo/chat\ninstruction: Greet.\n" },
};

describe.skipIf(noCluster(process.env) !== undefined)("agents in ConfigMaps", { timeout: 600_000 }, () => {
  it("are changed and fixed in running pods, while a turn ends on the agent that it began with", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply({ agents: { definitions: BEFORE } });
    await using target = await forwardPort({ namespace: release.namespace, service: `${release.fullName}-gateway` });
    const client = new GatewayClient(target.url);
    const pods = await release.pods("runner");
    expect(await authorOf(client, "desk")).toBe("before");

    // A broken agent does not keep pods from serving the others, and is reported where it is used and in the log.
    const refused = await turn(client, "broken");
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({
        reason: "CONFIGURATION",
        message: expect.stringMatching(/^broken\/root_agent\.yaml:3:1 /),
      }),
    ]);
    expect(await brokenLines(release)).toEqual([expect.objectContaining({ level: "error", appName: "broken" })]);

    const talk = await client.newTalk("desk", "ada");
    const { runId } = await client.startRun(talk, LONG.text);
    const followed = client.follow(runId, LONG.deadlineMs);
    const changedAt = performance.now();
    await release.apply({ agents: { definitions: AFTER } });
    await expect.poll(() => authorOf(client, "desk"), CHANGED).toBe("after");
    process.stderr.write(`changed agent: answers after ${Math.round((performance.now() - changedAt) / 1000)} s\n`);
    expect(await client.run(runId)).toMatchObject({ status: "running" });
    await expect.poll(() => authorOf(client, "broken"), CHANGED).toBe("fixed");

    const { frames } = await followed;
    const answer = eventOf(frames.at(-2) ?? { data: "{}" });
    expect([answer.author, textOf(answer)]).toEqual(["before", LONG.answer]);
    expect(await client.run(runId)).toMatchObject({ status: "succeeded" });
    expect(await release.pods("runner")).toEqual(pods);
  });
});

async function turn(client: GatewayClient, app: string): Promise<Response> {
  return client.send("POST", "/run", messageOf(await client.newTalk(app, "ada"), "n=1 d=0 s=1"));
}

/** The agent that answers now; undefined if none does. */
async function authorOf(client: GatewayClient, app: string): Promise<string | undefined> {
  const response = await turn(client, app);
  if (!response.ok) return undefined;
  // The form of the answer of /run.
  return ((await response.json()) as readonly WireEvent[]).at(-1)?.author;
}

async function brokenLines(release: Release): Promise<readonly unknown[]> {
  const log = await release.kubectl("logs", release.deployment("runner"));
  return log
    .split("\n")
    .filter((line) => line.includes("is broken"))
    .map((line): unknown => JSON.parse(line));
}
