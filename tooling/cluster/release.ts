import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kubectl, output } from "./commands.ts";
import type { ClusterSettings } from "./settings.ts";

const CHART = fileURLToPath(new URL("../../charts/fairlead", import.meta.url));
const TIMEOUT = "180s";

export type Values = Readonly<Record<string, unknown>>;

/** A release of the chart with its own backends, which keep nothing on disk. */
export class Release implements AsyncDisposable {
  readonly name: string;
  readonly namespace: string;
  readonly #settings: ClusterSettings;

  constructor(name: string, namespace: string, settings: ClusterSettings) {
    this.name = name;
    this.namespace = namespace;
    this.#settings = settings;
  }

  /** The prefix of the names of all its objects. */
  get fullName(): string {
    return this.name.includes("fairlead") ? this.name : `${this.name}-fairlead`;
  }

  /** The label selector of its objects. */
  get selector(): string {
    return `app.kubernetes.io/instance=${this.name}`;
  }

  /** Installs the release, or changes it to these values; resolves when all pods are ready. */
  apply(values: Values = {}): Promise<void> {
    return this.#upgrade(values, "--wait", "--timeout", TIMEOUT);
  }

  /** As `apply`, but rejects and rolls back if pods are not ready within the time. */
  applyOrGoBack(values: Values, timeout: string): Promise<void> {
    return this.#upgrade(values, "--atomic", "--timeout", timeout);
  }

  /** As `apply`, but does not wait for pods. */
  begin(values: Values): Promise<void> {
    return this.#upgrade(values);
  }

  async #upgrade(values: Values, ...flags: readonly string[]): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "values-"));
    try {
      const [base, own] = [join(folder, "base.json"), join(folder, "own.json")];
      writeFileSync(base, JSON.stringify(this.#baseValues()));
      writeFileSync(own, JSON.stringify(values));
      const files = [base, this.#settings.valuesFile, own].flatMap((file) => (file ? ["--values", file] : []));
      await this.#helm("upgrade", "--install", this.name, CHART, ...files, ...flags);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  async rollBack(): Promise<void> {
    await this.#helm("rollback", this.name, "--wait", "--timeout", TIMEOUT);
  }

  /** Runs `helm test`; throws an error with its output if it fails. */
  async test(): Promise<string> {
    return this.#helm("test", this.name, "--timeout", TIMEOUT);
  }

  async uninstall(): Promise<void> {
    await this.#helm("uninstall", this.name, "--wait", "--timeout", TIMEOUT);
  }

  /** The pods of a service that are not terminating. */
  async pods(service: string): Promise<readonly string[]> {
    const selector = `${this.selector},app.kubernetes.io/component=${service}`;
    const list = await this.kubectl("get", "pods", "--selector", selector, "--output", "json");
    const { items }: { items: readonly Pod[] } = JSON.parse(list);
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  }

  /** Removes the pod as `kubectl drain` does; a disruption budget can refuse that. */
  async evict(pod: string): Promise<void> {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod, namespace: this.namespace } };
    const folder = mkdtempSync(join(tmpdir(), "eviction-"));
    try {
      const file = join(folder, "eviction.json");
      writeFileSync(file, JSON.stringify(body));
      const path = `/api/v1/namespaces/${this.namespace}/pods/${pod}/eviction`;
      await kubectl("create", "--raw", path, "--filename", file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** When the last of the service's pods became ready, in milliseconds since the epoch; Kubernetes counts seconds. */
  async readySince(service: string): Promise<number> {
    const selector = `${this.selector},app.kubernetes.io/component=${service}`;
    const path = "{range .items[*]}{.status.conditions[?(@.type=='Ready')].lastTransitionTime} {end}";
    const times = await this.kubectl("get", "pods", "--selector", selector, "--output", `jsonpath=${path}`);
    return Math.max(...times.trim().split(" ").map(Date.parse));
  }

  /** Resolves when each new pod of the service is ready and the ones that they replace are terminating. */
  untilRolledOut(service: string): Promise<string> {
    return this.kubectl("rollout", "status", this.deployment(service), "--timeout=120s");
  }

  /** Resolves when the service has so many pods and all are ready. */
  async scale(service: string, replicas: number): Promise<void> {
    await this.kubectl("scale", this.deployment(service), `--replicas=${replicas}`);
    await this.untilRolledOut(service);
  }

  deployment(service: string): string {
    return `deployment/${this.fullName}-${service}`;
  }

  /** The answer of an address, requested from within the pod. */
  fetchIn(pod: string, url: string): Promise<string> {
    const script = `fetch(${JSON.stringify(url)}).then((answer) => answer.text()).then((text) => process.stdout.write(text))`;
    return this.kubectl("exec", pod, "--", "node", "-e", script);
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return kubectl("--namespace", this.namespace, ...args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#helm("uninstall", this.name, "--ignore-not-found", "--wait", "--timeout", TIMEOUT);
  }

  #helm(...args: readonly string[]): Promise<string> {
    return output("helm", [...args, "--namespace", this.namespace]);
  }

  #baseValues(): Values {
    const at = this.#settings.image.lastIndexOf(":");
    return {
      environment: "development",
      image: { repository: this.#settings.image.slice(0, at), tag: this.#settings.image.slice(at + 1) },
      dev: { redis: { enabled: true }, firestore: { enabled: true }, gcs: { enabled: true } },
      defaults: { resources: { requests: { cpu: "10m" } } },
      agents: { imageFolder: "/app/test-agents" },
      test: { appName: "bench", message: "n=40 d=25 s=5" },
    };
  }
}

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
}
