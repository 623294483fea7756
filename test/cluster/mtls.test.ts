import { describe, expect, it } from "vitest";
import { noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";

const CERTIFICATES = { serviceAuth: { mode: "mtls", mtls: { source: "chart" } } };

/** Calls a service from within another one's pod: without TLS, without a certificate, and with the pod's own. */
const CALLERS = `
  const { readFileSync } = require("node:fs");
  const http2 = require("node:http2");
  const file = (name) => readFileSync(process.env["TLS_" + name + "_FILE"]);
  const ask = (scheme, options) => new Promise((resolve) => {
    const client = http2.connect(scheme + "://" + process.argv[1] + ":50051", options);
    client.on("error", () => resolve("refused")).on("close", () => resolve("refused"));
    const call = client.request({ ":path": "/grpc.health.v1.Health/Check", ":method": "POST", "content-type": "application/grpc" });
    call.on("error", () => resolve("refused")).on("response", () => resolve("answered"));
    call.end();
    setTimeout(() => resolve("silent"), 5000);
  });
  const anonymous = { ca: file("CA"), servername: "session" };
  const own = { ...anonymous, cert: file("CERT"), key: file("KEY") };
  Promise.all([ask("http"), ask("https", anonymous), ask("https", own)]).then((answers) => {
    process.stdout.write(answers.join(" "));
    process.exit();
  });`;

describe.skipIf(noCluster(process.env) !== undefined)("services with certificates", { timeout: 300_000 }, () => {
  it("hold a whole conversation, and refuse callers without one", async () => {
    await using world = await ClusterWorld.create();
    const release = world.release();
    await release.apply(CERTIFICATES);
    expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
    const [gateway = ""] = await release.pods("gateway");
    const session = `${release.fullName}-session`;
    const answers = await release.kubectl("exec", gateway, "--", "node", "-e", CALLERS, session);
    expect(answers).toBe("refused refused answered");
  });
});
