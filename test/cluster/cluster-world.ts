import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { kubectl, runCommand } from "#tooling/cluster/commands.ts";
import { Release } from "#tooling/cluster/release.ts";
import { type ClusterSettings, clusterSettings } from "#tooling/cluster/settings.ts";
import { ClientPod } from "./client-pod.ts";

const GONE = { timeout: 120_000, interval: 500 };

/** A namespace that accepts only pods of the `restricted` standard; it is deleted with its content. */
export class ClusterWorld implements AsyncDisposable {
  static #loaded: Promise<string> | undefined;
  readonly namespace: string;
  readonly settings: ClusterSettings;
  readonly #stack = new AsyncDisposableStack();

  private constructor(namespace: string, settings: ClusterSettings) {
    this.namespace = namespace;
    this.settings = settings;
  }

  static async create(): Promise<ClusterWorld> {
    const settings = clusterSettings(process.env);
    if (settings.loadImage !== undefined) {
      ClusterWorld.#loaded ??= runCommand(settings.loadImage, settings.image);
      await ClusterWorld.#loaded;
    }
    const world = new ClusterWorld(`e2e-${randomBytes(4).toString("hex")}`, settings);
    await kubectl("create", "namespace", world.namespace);
    await kubectl("label", "namespace", world.namespace, "pod-security.kubernetes.io/enforce=restricted");
    world.#stack.defer(async () => void (await kubectl("delete", "namespace", world.namespace, "--timeout=120s")));
    return world;
  }

  /** A release that is removed before its namespace. Nothing is installed yet. */
  release(name = "fairlead"): Release {
    return this.#stack.use(new Release(name, this.namespace, this.settings));
  }

  async client(): Promise<ClientPod> {
    return this.#stack.use(await ClientPod.start(this.namespace, this.settings.image));
  }

  /** Resolves when only objects that tests made themselves are left of the release. */
  async untilNothingIsLeft(release: Release): Promise<void> {
    const listing = await kubectl("api-resources", "--namespaced", "--verbs=list,delete", "--output=name");
    const kinds = listing
      .split("\n")
      .filter((kind) => kind !== "" && !kind.startsWith("events") && !kind.includes("metrics"));
    const left = (): Promise<string> =>
      release.kubectl("get", kinds.join(","), "--selector", release.selector, "--output=name", "--ignore-not-found");
    await expect.poll(left, GONE).toBe("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
