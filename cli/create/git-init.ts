import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Makes the folder a Git repository. Does nothing inside a repository, and where Git is missing. */
export async function gitInit(folder: string): Promise<void> {
  try {
    await run("git", ["rev-parse", "--is-inside-work-tree"], { cwd: folder });
  } catch {
    // Not in a repository, or there is no Git: then the next call fails too.
    await run("git", ["init", "--quiet"], { cwd: folder }).catch(() => undefined);
  }
}
