import { spawn } from "node:child_process";
import { json } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { GatewayClient } from "#test/e2e/suite/gateway-client.ts";
import { forwardPort } from "#test/e2e/targets/port-forward.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { Release } from "#tooling/cluster/release.ts";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";
import type { AttackOrder, AttackSummary, OwnRun } from "./runner-pod/attack-order.ts";
import { podArguments, podProgram } from "./runner-pod/pod-program.ts";

const APP = "bench";
const SECRET = "secret-7f3a";
const MARK = "n=1 d=0 s=1";
const OWN = { tenantId: "default", appName: APP, userId: "ada", id: "own" };
const VICTIMS = [
  { ...OWN, id: "other" },
  { ...OWN, userId: "bob" },
];
const ABSENT = { session: { ...OWN, tenantId: "acme", id: "absent" }, runId: "absent", holder: "absent" };

describe.skipIf(noCluster(process.env) !== undefined)("a program in a runner's pod", { timeout: 300_000 }, () => {
  it("reaches the sessions of the runner's own runs and nothing else", async () => {
    verifies("platform:runner-reach");
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply();
    await using target = await forwardPort({ namespace: release.namespace, service: `${release.fullName}-gateway` });
    const client = new GatewayClient(target.url);
    await vi.waitFor(() => client.json("GET", "/ready"), { timeout: 30_000, interval: 200 });
    await plant(client, OWN, MARK);
    const victims: AttackOrder["victims"][number][] = [ABSENT];
    for (const session of VICTIMS) {
      const runId = await plant(client, session, `${MARK} ${SECRET}`);
      victims.push({ session, runId, holder: "runner" });
    }

    const own = { session: OWN, runId: "own run" };
    // What the program prints.
    const texts = (await runIn(release, "gateway", "sign-own-run", own)) as Pick<OwnRun, "start" | "cancel">;
    const services = ["runner", "session", "artifact", "memory", "eval"];
    const addresses = Object.fromEntries(services.map((name) => [name, `${release.fullName}-${name}:50051`]));
    const order: AttackOrder = { own: { ...own, ...texts, mark: MARK }, victims, secret: SECRET, addresses };
    // What the program prints.
    const summary = (await runIn(release, "runner", "attacker", order)) as AttackSummary;
    expect(summary.reached).toEqual([]);
    expect(summary.calls).toBeGreaterThan(0);
    expect(summary.own).toEqual(["its events", "its end"]);
    // Runners call the stores of their runs; a policy of the network may keep them from the others.
    for (const service of ["session", "artifact", "memory"]) expect(summary.unreachable).not.toContain(service);
  });
});

/** A session with a run whose message is the text; returns the run's id when the run has ended. */
async function plant(client: GatewayClient, session: OwnRun["session"], text: string): Promise<string> {
  const { appName, userId, id } = session;
  await client.json("POST", `/apps/${appName}/users/${userId}/sessions/${id}`, {});
  const { runId } = await client.startRun({ appName, userId, sessionId: id }, text);
  await client.follow(runId, 30_000);
  return runId;
}

/** What a program of `runner-pod` prints in a pod of the service, with the environment of the pod. */
async function runIn(release: Release, service: string, ...[name, argument]: readonly [Program, unknown]) {
  const node = ["node", "--import", "/app/plain-modules.mjs", ...podArguments(argument)];
  const command = ["exec", "--stdin", "--namespace", release.namespace, release.deployment(service), "--", ...node];
  const child = spawn("kubectl", command, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(await podProgram(name));
  return json(child.stdout);
}

type Program = Parameters<typeof podProgram>[0];
