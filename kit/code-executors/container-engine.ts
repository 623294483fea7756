import { PlatformError } from "../errors/platform-error.ts";
import { readEnvironment } from "../platform/environment.ts";
import { type ProcessResult, runProcess } from "./run-process.ts";

export type ContainerEngine = "podman" | "docker";

const ENGINES: readonly ContainerEngine[] = ["podman", "docker"];
const LOOK_TIMEOUT_MS = 10_000;
const MAX_LOOK_BYTES = 1024 * 1024;

/** Variables with which the engines find their own settings; they get no other part of this process's environment. */
const VARIABLES = [
  ...["PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"],
  ...["CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "STORAGE_DRIVER"],
];

export function engineEnvironment(): Readonly<Record<string, string>> {
  const entries = VARIABLES.map((name) => [name, readEnvironment(name)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * The first engine that responds and has the runtime. Throws `CODE_EXECUTOR_UNAVAILABLE`, which names what is missing.
 */
export async function findContainerEngine(
  engines: readonly ContainerEngine[] = ENGINES,
  ociRuntime?: string,
): Promise<ContainerEngine> {
  for (const engine of engines) if (await answers(engine, ociRuntime)) return engine;
  const wanted = ociRuntime === undefined ? "" : ` with the runtime ${ociRuntime}`;
  throw new PlatformError(
    "CODE_EXECUTOR_UNAVAILABLE",
    `Code cannot be run: no ${engines.join(" or ")}${wanted} answers on this machine. Install and start one.`,
  );
}

/** Podman accepts any installed runtime; docker lists those that it was configured with. */
async function answers(engine: ContainerEngine, ociRuntime: string | undefined): Promise<boolean> {
  const before = engine === "podman" && ociRuntime !== undefined ? ["--runtime", ociRuntime] : [];
  const format = engine === "docker" ? ["--format", "{{json .Runtimes}} {{.ServerVersion}}"] : [];
  const result = await look(engine, [...before, "info", ...format]);
  if (result?.exitCode !== 0) return false;
  return engine === "podman" || ociRuntime === undefined || result.stdout.includes(`"${ociRuntime}"`);
}

async function look(engine: ContainerEngine, args: readonly string[]): Promise<ProcessResult | undefined> {
  try {
    return await runProcess({
      command: engine,
      args,
      env: engineEnvironment(),
      timeoutMs: LOOK_TIMEOUT_MS,
      maxOutputBytes: MAX_LOOK_BYTES,
    });
  } catch {
    // The engine is not installed.
    return undefined;
  }
}
