import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { LoadReport } from "#test/e2e/suite/load.ts";
import { apply, kubectl } from "#tooling/cluster/commands.ts";
import { restrictedPod } from "./restricted-pod.ts";

const SUITE = fileURLToPath(new URL("../e2e/suite/", import.meta.url));
const FILES = ["gateway-client.ts", "load.ts"];
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
  startLoad(url: string, options: { readonly loops: number; readonly chunks: number }): Load {
    const args = [`--loops=${options.loops}`, `--chunks=${options.chunks}`];
    const command = [
      "exec",
      "--stdin",
      "--namespace",
      this.#namespace,
      NAME,
      "--",
      "node",
      "/client/load.ts",
      url,
      ...args,
    ];
    return new Load(spawn("kubectl", command, { stdio: ["pipe", "pipe", "pipe"] }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const objects = [`pod/${NAME}`, `configmap/${NAME}`];
    await kubectl("--namespace", this.#namespace, "delete", ...objects, "--grace-period=1", "--ignore-not-found");
  }
}

/** Conversations that continue until `finish`. */
export class Load {
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

  /** Lets each loop end its conversation, and returns the outcome of all of them. */
  async finish(): Promise<LoadReport> {
    this.#child.stdin?.end();
    await this.#ended;
    const line = this.#output.split("\n").findLast((text) => text.startsWith("{"));
    if (line === undefined) throw new Error(`The load has no report: ${this.#output}`);
    return JSON.parse(line);
  }
}
