import type { ContainerEngine } from "./container-engine.ts";
import { SANDBOX_PROGRAM } from "./sandbox-program.ts";

export interface ContainerLimits {
  /** An image with `python3`; it must exist on the machine already. */
  readonly image?: string;
  /** The OCI runtime to use instead of the engine's default, such as `runsc`. */
  readonly ociRuntime?: string;
  /** Flags of that runtime, without dashes. Podman passes them on; docker has them in its own settings. */
  readonly ociRuntimeFlags?: readonly string[];
  /** The time limit of an execution, in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
  /** The memory limit in bytes, files included; 512 MiB by default. */
  readonly memoryBytes?: number;
  /** The most processes and threads; 128 by default. */
  readonly maxProcesses?: number;
  /** The most processors; 1 by default. */
  readonly cpus?: number;
}

export const DEFAULT_IMAGE = "docker.io/library/python:3.13-slim";
export const DEFAULT_TIMEOUT_MS = 60_000;
/** The sandbox program enforces the code's own limit; the container itself is ended this much later. */
export const START_GRACE_MS = 20_000;
const DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024;
const DEFAULT_MAX_PROCESSES = 128;
const MAX_FOLDER = "64m";
/**
 * The largest file that the code may write: half of the folder's size. Endless output ends at this limit, and the
 * folder still has room for the error text.
 */
const MAX_WRITTEN_FILE_BYTES = 32 * 1024 * 1024;
const MAX_OPEN_FILES = 1024;
/**
 * The kernel counts this limit per user and not per container. The value is far above a container's own limit, and
 * below the maximum that hosts let an engine set.
 */
const MAX_USER_PROCESSES = 16_384;
const NOBODY_USER = "65534:65534";

/** The whole command line of the engine, each argument separate: no shell interprets it. */
export function containerArguments(
  engine: ContainerEngine,
  container: string,
  options: ContainerLimits,
): readonly string[] {
  const { image = DEFAULT_IMAGE, memoryBytes = DEFAULT_MEMORY_BYTES } = options;
  const { maxProcesses = DEFAULT_MAX_PROCESSES, cpus = 1 } = options;
  return [
    ...(engine === "podman" ? [...podmanRuntime(options), "run", ...podmanOnly(options)] : ["run"]),
    ...(engine === "docker" && options.ociRuntime !== undefined ? ["--runtime", options.ociRuntime] : []),
    "--rm",
    // A signal would end the engine's client and not the code.
    "--sig-proxy=false",
    "--interactive",
    `--name=${container}`,
    "--pull=never",
    // A container's output contains users' data and may be large, so only this process gets it.
    "--log-driver=none",
    "--no-healthcheck",
    "--network=none",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    `--user=${NOBODY_USER}`,
    "--ipc=none",
    "--cgroupns=private",
    `--pids-limit=${maxProcesses}`,
    `--memory=${memoryBytes}`,
    `--memory-swap=${memoryBytes}`,
    `--cpus=${cpus}`,
    // An engine's own defaults may be above what its host allows, and then no container starts.
    `--ulimit=nofile=${MAX_OPEN_FILES}:${MAX_OPEN_FILES}`,
    `--ulimit=nproc=${MAX_USER_PROCESSES}:${MAX_USER_PROCESSES}`,
    `--ulimit=fsize=${MAX_WRITTEN_FILE_BYTES}:${MAX_WRITTEN_FILE_BYTES}`,
    "--ulimit=core=0:0",
    `--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=${MAX_FOLDER},mode=1777`,
    `--tmpfs=/work:rw,noexec,nosuid,nodev,size=${MAX_FOLDER},mode=1777`,
    "--workdir=/work",
    "--env=HOME=/work",
    "--entrypoint=python3",
    image,
    "-I",
    "-c",
    SANDBOX_PROGRAM,
  ];
}

function podmanRuntime({ ociRuntime, ociRuntimeFlags = [] }: ContainerLimits): readonly string[] {
  if (ociRuntime === undefined) return [];
  return ["--runtime", ociRuntime, ...ociRuntimeFlags.map((flag) => `--runtime-flag=${flag}`)];
}

/**
 * Turns off podman's defaults that docker does not have, and ends the container even if this process no longer exists.
 */
function podmanOnly({ timeoutMs = DEFAULT_TIMEOUT_MS }: ContainerLimits): readonly string[] {
  return [
    "--read-only-tmpfs=false",
    "--image-volume=ignore",
    "--no-hosts",
    "--http-proxy=false",
    `--timeout=${Math.ceil((timeoutMs + START_GRACE_MS) / 1000)}`,
  ];
}
