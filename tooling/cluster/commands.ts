import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Returns the standard output of a program that has to succeed. The error of a program that fails has both outputs. */
export async function output(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await execute(program, [...args], { maxBuffer: MAX_OUTPUT_BYTES })).stdout;
  } catch (error) {
    // execFile rejects with an error that has the outputs.
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stderr}${stdout}`);
  }
}

export function kubectl(...args: readonly string[]): Promise<string> {
  return output("kubectl", args);
}

/** Creates or changes objects, given as maps. */
export async function apply(namespace: string, ...objects: readonly object[]): Promise<string> {
  const child = spawn("kubectl", ["apply", "--namespace", namespace, "--filename", "-"], { stdio: "pipe" });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  child.stdin.end(JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`kubectl apply failed: ${text}`);
  return text;
}

/** Runs a command of the settings, such as `kind load docker-image --name fairlead`, with one more argument. */
export function runCommand(command: string, word: string): Promise<string> {
  return output("sh", ["-c", `${command} "$1"`, "sh", word]);
}
