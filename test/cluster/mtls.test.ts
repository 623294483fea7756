import { describe, expect, it } from "vitest";
import { ClusterWorld } from "./cluster-world.ts";
import { noCluster } from "./settings.ts";

const CERTIFICATES = { serviceAuth: { mode: "mtls", mtls: { source: "chart" } } };
/** A caller without a certificate, from within the pod of one that has one. */
const PLAIN_CALL = `
  setTimeout(() => process.exit(), 5000);
  require("node:http2").connect("http://" + process.argv[1] + ":50051")
    .on("error", (error) => process.stdout.write(error.code))
    .on("connect", () => process.stdout.write("connected"))
    .request({ ":path": "/grpc.health.v1.Health/Check", ":method": "POST" })
    .on("error", () => {}).on("response", () => process.stdout.write("answered"));`;

describe.skipIf(noCluster(process.env) !== undefined)("services with certificates", { timeout: 300_000 }, () => {
  it("hold a whole conversation, and answer nobody who has none", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply(CERTIFICATES);
    expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
    const [gateway = ""] = await release.pods("gateway");
    const session = `${release.fullName}-session`;
    const said = await release.kubectl("exec", gateway, "--", "node", "-e", PLAIN_CALL, session);
    expect(said).toMatch(/^connected/);
    expect(said).not.toContain("answered");
  });
});
