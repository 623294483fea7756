import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { kubectl, runCommand } from "#tooling/cluster/commands.ts";
import { Release } from "#tooling/cluster/release.ts";
import { clusterSettings } from "#tooling/cluster/settings.ts";
import { PLATFORM_SERVICES, type PlatformService } from "#tooling/processes/platform-world.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";

/** Clock ticks of /proc per second. */
const TICKS_PER_SECOND = 100;
/** The same settings as the processes of the other side. */
const VALUES = {
  stores: { session: "memory", artifact: "memory", memory: "memory", eval: "memory" },
  dev: { firestore: { enabled: false }, gcs: { enabled: false } },
  logging: { level: "error" },
  // Large enough that other work on the node does not reduce it.
  defaults: { resources: { requests: { cpu: "250m" } }, settings: { PEER_CHECK_MS: 2000 } },
};

/**
 * The six services as pods of a release in a namespace of its own, with Redis. The client has to reach pods by their
 * addresses.
 */
export class ClusterPods implements MeasuredServer, AsyncDisposable {
  readonly readyMs = Number.NaN;
  readonly release: Release;
  #url = "";

  private constructor(release: Release) {
    this.release = release;
  }

  static async start(): Promise<ClusterPods> {
    const settings = clusterSettings(process.env);
    if (settings.loadImage !== undefined) await runCommand(settings.loadImage, settings.image);
    const namespace = `bench-${randomBytes(4).toString("hex")}`;
    await kubectl("create", "namespace", namespace);
    const pods = new ClusterPods(new Release("fairlead", namespace, settings));
    try {
      await pods.release.apply(VALUES);
      const [gateway = ""] = await pods.release.pods("gateway");
      const address = await pods.release.kubectl("get", "pod", gateway, "--output=jsonpath={.status.podIP}");
      pods.#url = `http://${address}:8000`;
      return pods;
    } catch (error) {
      await pods[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return this.#url;
  }

  cpuMicros(): number {
    return sum(PLATFORM_SERVICES.map((service) => this.#read(service, "stat")).map(cpuMicrosOf));
  }

  residentMegabytes(): number {
    return sum(Object.values(this.residentOfServices()));
  }

  /** Resident memory of each service's process in MB. */
  residentOfServices(): Figures {
    const residentOf = (service: PlatformService): number =>
      Number(/VmRSS:\s+(\d+) kB/.exec(this.#read(service, "status"))?.[1]) / 1024;
    return Object.fromEntries(PLATFORM_SERVICES.map((service) => [`${service} RSS MB`, residentOf(service)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await kubectl("delete", "namespace", this.release.namespace, "--timeout=120s");
  }

  /** CPU time of the service's process. Waits synchronously, unlike its callers: nothing is measured at this time. */
  #read(service: PlatformService, file: "stat" | "status"): string {
    const script = `process.stdout.write(require("fs").readFileSync("/proc/1/${file}"))`;
    const { namespace } = this.release;
    const args = ["exec", "--namespace", namespace, this.release.deployment(service), "--", "node", "-e", script];
    return execFileSync("kubectl", args, { encoding: "utf8" });
  }
}

function cpuMicrosOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
