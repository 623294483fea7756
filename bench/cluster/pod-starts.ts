import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Release } from "#tooling/cluster/release.ts";
import { PLATFORM_SERVICES, type PlatformService } from "#tooling/processes/platform-world.ts";
import type { Figures } from "../scenarios/scenario.ts";

const WATCHED = '--output=jsonpath={.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}';
/** When the container's first process began, by the clock of its node, in ms. */
const STARTED_AT = `
const { readFileSync } = require("fs");
const ticks = Number(readFileSync("/proc/1/stat", "utf8").replace(/.*\\) /, "").split(" ")[19]);
const upSeconds = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
process.stdout.write(String(Date.now() - upSeconds * 1000 + ticks * 10));`;

/**
 * Time from the start of a container's process until the cluster counts its pod as ready, for each service while the
 * others run.
 */
export async function podStarts(release: Release): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const service of PLATFORM_SERVICES) figures[`${service} ready ms`] = await podStart(release, service);
  return figures;
}

async function podStart(release: Release, service: PlatformService): Promise<number> {
  const [old] = await release.pods(service);
  const labels = `${release.selector},app.kubernetes.io/component=${service}`;
  const args = ["get", "pods", "--namespace", release.namespace, "--selector", labels, "--watch", WATCHED];
  const watch = spawn("kubectl", args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const lines = createInterface(watch.stdout)[Symbol.asyncIterator]();
    // Existing pods come first.
    await lines.next();
    await release.kubectl("rollout", "restart", release.deployment(service));
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done === true) throw new Error("The watch of pods has ended.");
      const [pod = "", isReady] = String(line).split(" ");
      if (pod === old || isReady !== "True") continue;
      const readyAt = Date.now();
      return readyAt - Number(await release.kubectl("exec", pod, "--", "node", "-e", STARTED_AT));
    }
  } finally {
    watch.kill();
    await release.untilRolledOut(service);
  }
}
