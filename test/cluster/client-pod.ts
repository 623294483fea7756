import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { LoadReport } from "#test/e2e/suite/load.ts";
import type { OutageReport } from "#test/e2e/suite/outage.ts";
import { apply, kubectl } from "#tooling/cluster/commands.ts";
import { restrictedPod } from "./restricted-pod.ts";

const SUITE = fileURLToPath(new URL("../e2e/suite/", import.meta.url));
const FILES = ["gateway-client.ts", "load.ts", "outage.ts"];
const NAME = "client";

/** A pod that calls gateways from within the cluster, where a connection may reach any of their pods. */
export class ClientPod implements AsyncDisposable {
  readonly #namespace: string;

  private constructor(namespace: string) {
    this.#namespace = namespace;
  }

  static async start(namespace: string, image: string): Promise<ClientPod> {
    const data = Object.fromEntries(FILES.map((file) => [file, readFileSync(SUITE + file, "utf8")]));
    const pod = restrictedPod(
      { name: NAME },
      {
        image,
        command: ["node", "-e", "setInterval(() => {}, 60000)"],
        scripts: { configMap: NAME, mountPath: "/client" },
      },
    );
    await apply(namespace, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: NAME }, data }, pod);
    await kubectl("--namespace", namespace, "wait", `pod/${NAME}`, "--for=condition=Ready", "--timeout=60s");
    return new ClientPod(namespace);
  }

  /** Starts conversations in `loops` concurrent loops, through the gateway's Service. */
  startLoad(url: string, options: { readonly loops: number; readonly chunks: number }): Running<LoadReport> {
    return this.#start("load.ts", url, `--loops=${options.loops}`, `--chunks=${options.chunks}`);
  }

  /** Starts requests that need the service, to measure how long it does not answer. */
  startOutage(url: string, service: string): Running<OutageReport> {
    return this.#start("outage.ts", url, `--service=${service}`);
  }

  #start<Report>(file: string, ...args: readonly string[]): Running<Report> {
    const command = ["exec", "--stdin", "--namespace", this.#namespace, NAME, "--", "node", `/client/${file}`, ...args];
    return new Running(spawn("kubectl", command, { stdio: ["pipe", "pipe", "pipe"] }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const objects = [`pod/${NAME}`, `configmap/${NAME}`];
    await kubectl("--namespace", this.#namespace, "delete", ...objects, "--grace-period=1", "--ignore-not-found");
  }
}

/** A program in the pod that continues until `finish`. */
export class Running<Report> {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "close");
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
  }

  /** Lets it end what it has begun, and returns its report. */
  async finish(): Promise<Report> {
    this.#child.stdin?.end();
    await this.#ended;
    const line = this.#output.split("\n").findLast((text) => text.startsWith("{"));
    if (line === undefined) throw new Error(`The program has no report: ${this.#output}`);
    return JSON.parse(line);
  }
}
