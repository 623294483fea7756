import { describe, expect, it, vi } from "vitest";
import { GatewayClient } from "#test/e2e/suite/gateway-client.ts";
import { fetchByHost } from "#test/e2e/targets/fetch-by-host.ts";
import { LiveClient } from "#test/helpers/live/live-client.ts";
import { clusterSettings, noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

const HOST = "calls.test";
const USER = "ada";
const SESSION = "call";
const SOUND = { blob: { mimeType: "audio/pcm;rate=16000", data: Buffer.alloc(640).toString("base64") } };

const { ingressUrl = "", ingressClass } = clusterSettings(process.env);
const reason = noCluster(process.env) ?? (ingressUrl === "" ? "E2E_INGRESS_URL is not set" : undefined);

describe.skipIf(reason !== undefined)("a live call through an Ingress", { timeout: 600_000 }, () => {
  it("keeps its socket while the pods of runners are deleted, and each turn is stored once", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply({
      ingress: { enabled: true, className: ingressClass, hosts: [HOST] },
      runner: { replicas: 2 },
    });
    const http = new GatewayClient(ingressUrl, fetchByHost(HOST));
    await vi.waitFor(() => http.json("GET", "/ready"), { timeout: 60_000, interval: 500 });
    const path = `/apps/bench/users/${USER}/sessions/${SESSION}`;
    await http.json("POST", path, {});

    const query = new URLSearchParams({ app_name: "bench", user_id: USER, session_id: SESSION });
    await using call = await LiveClient.connect(`${ingressUrl}/run_live?${query}`, { headers: { host: HOST } });
    const asked: string[] = [];
    const turnsHeard = () => call.events.filter(({ turnComplete }) => turnComplete === true).length;
    const speak = async (): Promise<void> => {
      for (let frame = 0; frame < 25; frame += 1) call.send(SOUND);
      asked.push(`turn ${asked.length + 1}`);
      call.say(asked.at(-1) ?? "");
      await vi.waitFor(() => expect(turnsHeard()).toBe(asked.length), { timeout: 120_000, interval: 100 });
    };

    await speak();
    for (const pod of await release.pods("runner")) {
      // Killed without notice, as when its node is lost; the call is on one of the two.
      await release.kubectl("delete", "pod", pod, "--grace-period=0", "--force");
      await speak();
      await release.untilRolledOut("runner");
      await speak();
    }
    call.send({ close: true });
    expect(await call.closed).toEqual({ code: 1000, reason: "" });

    const { events } = (await http.json("GET", path)) as { events: readonly StoredEvent[] };
    const texts = events.flatMap(({ author, content }) => (author === "user" ? (content?.parts[0]?.text ?? []) : []));
    expect(texts).toEqual(asked);
  });
});

interface StoredEvent {
  readonly author: string;
  readonly content?: { readonly parts: readonly { readonly text?: string }[] };
}
