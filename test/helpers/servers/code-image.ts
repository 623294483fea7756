import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DEFAULT_IMAGE } from "#kit/code-executors/container-arguments.ts";
import { type ContainerEngine, findContainerEngine } from "#kit/code-executors/container-engine.ts";
import { skipFor } from "#tooling/missing-tool.ts";

/** The image that is made here if no registry can be reached. */
const OWN_IMAGE = "localhost/fairlead-python:debian";
const MAKE_IMAGE = fileURLToPath(new URL("../../../deploy/image/make-debian-image", import.meta.url));
const MAKE_TIMEOUT_MS = 120_000;

export interface CodeImage {
  readonly engine: ContainerEngine;
  readonly image: string;
}

/**
 * An engine that works and an image with python3, made if INSTALL_TEST_TOOLS is set; or undefined, with the reason
 * reported.
 */
export async function findCodeImage(): Promise<CodeImage | undefined> {
  const engine = await findContainerEngine().catch(() => undefined);
  if (engine === undefined) return missing("no podman or docker answers (apt-get install podman runc catatonit).");
  const image = [DEFAULT_IMAGE, OWN_IMAGE].find((name) => spawnSync(engine, ["image", "inspect", name]).status === 0);
  if (image !== undefined) return { engine, image };
  const command = `TOOL=${engine} deploy/image/make-debian-image ${OWN_IMAGE} python3`;
  if (!process.env["INSTALL_TEST_TOOLS"])
    return missing(`${engine} has no image with python3 (${engine} pull ${DEFAULT_IMAGE}, or ${command}).`);
  try {
    const env = { ...process.env, TOOL: engine };
    await promisify(execFile)(MAKE_IMAGE, [OWN_IMAGE, "python3"], { env, timeout: MAKE_TIMEOUT_MS });
    return { engine, image: OWN_IMAGE };
  } catch (error) {
    return missing(`${command} failed: ${String(error).slice(0, 300)}`);
  }
}

function missing(reason: string): undefined {
  skipFor("Code in containers", reason);
  return undefined;
}

/** Whether the engine has gVisor; reported if it has not. */
export async function hasGVisor({ engine }: CodeImage): Promise<boolean> {
  const found = await findContainerEngine([engine], "runsc").catch(() => undefined);
  if (found === undefined) skipFor("Code under gVisor", `${engine} finds no runsc (apt-get install runsc).`);
  return found !== undefined;
}
