import { startProcess } from "#shared/process/start-process.ts";

/** The values of a container's first argument: processes that take their settings only from the environment. */
const PROCESSES: Readonly<Record<string, () => Promise<unknown>>> = {
  gateway: () => import("#services/gateway/main.ts"),
  runner: () => import("#services/runner/main.ts"),
  session: () => import("#services/session/main.ts"),
  artifact: () => import("#services/artifact/main.ts"),
  memory: () => import("#services/memory/main.ts"),
  eval: () => import("#services/eval/main.ts"),
  standalone: () => import("#services/standalone/main.ts"),
  health: async () => {
    const { health } = await import("./health.ts");
    process.exitCode = await health(process.env);
  },
};

/**
 * Runs `fairlead gateway` and the other services without loading the rest of the command line; returns false for any
 * other command, also for `fairlead eval` with arguments.
 */
export async function startService([name = "", ...rest]: readonly string[]): Promise<boolean> {
  const start = Object.hasOwn(PROCESSES, name) ? PROCESSES[name] : undefined;
  // Containers give no argument; "fairlead eval <dir>" evaluates agents.
  if (start === undefined || (name === "eval" && rest.length > 0)) return false;
  await startProcess(() => {
    if (rest.length > 0) {
      throw new Error(`fairlead ${name} takes no arguments: set environment variables instead.`);
    }
    return start();
  });
  return true;
}
