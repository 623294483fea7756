import type { ChildProcess } from "node:child_process";

/** Kills the process if this one ends before it was stopped, by a signal too (`run.ts` turns those into an exit). */
export function killAtExit(child: ChildProcess): void {
  const kill = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}
