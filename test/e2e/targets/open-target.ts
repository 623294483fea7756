import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";
import { forwardPort } from "./port-forward.ts";
import { type Target, urlTarget } from "./target.ts";

const SAMPLES = fileURLToPath(new URL("../../../agents", import.meta.url));
const DEV_UI = fileURLToPath(new URL("../../../.dev-ui", import.meta.url));

/** The gateway that `npm run test:e2e -- --target=…` selects. */
export interface ChosenTarget {
  readonly name: string;
  readonly open: () => Promise<Target>;
  /** Why it cannot be tested here. */
  readonly missing?: string;
}

export function chooseTarget(environment: Readonly<Record<string, string | undefined>>): ChosenTarget {
  const target = environment["E2E_TARGET"] || "processes";
  if (target === "processes") {
    const missing = whyNoRedis();
    return { name: "six processes on this machine", open: openProcesses, ...(missing !== undefined && { missing }) };
  }
  if (target === "cluster") {
    const { KUBECONFIG, E2E_NAMESPACE = "fairlead", E2E_SERVICE = "fairlead-gateway" } = environment;
    const open = (): Promise<Target> => forwardPort({ namespace: E2E_NAMESPACE, service: E2E_SERVICE });
    return { name: "the cluster of KUBECONFIG", open, ...(!KUBECONFIG && { missing: "KUBECONFIG is not set" }) };
  }
  if (!/^https?:\/\//.test(target)) {
    throw new Error(`--target must be processes, cluster or a URL, not "${target}".`);
  }
  return { name: target, open: async () => urlTarget(target) };
}

async function openProcesses(): Promise<Target> {
  const world = await PlatformWorld.create({ settings: { AGENTS_DIR: SAMPLES, DEV_UI: "true", DEV_UI_DIR: DEV_UI } });
  try {
    world.startAll();
    await world.untilReady();
    return { url: world.url, hasUi: existsSync(DEV_UI), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}
