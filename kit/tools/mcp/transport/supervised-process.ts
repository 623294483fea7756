import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A child whose standard streams are pipes. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

export interface SupervisedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/**
 * Runs the command and a watcher process, in a process group of their own. File descriptor 3 is a pipe from this
 * process: it ends when this process ends, also by SIGKILL. The watcher then ends the group, in case the command
 * ignores the end of its standard input, or has started processes that do. A shell gives a command in the background no
 * standard input unless it is copied to another descriptor before.
 */
const SUPERVISOR = `exec 4<&0 </dev/null
"$@" <&4 3<&- 4<&- &
child=$!
(
  trap "" TERM
  exec <&3 3<&- 4<&- >/dev/null 2>&1
  read -r _
  sleep 1
  kill -s TERM -- "-$$"
  sleep 2
  kill -s KILL -- "-$$"
) &
watcher=$!
exec 3<&- 4<&- >/dev/null 2>&1
wait "$child"
status=$?
kill -s KILL "$watcher"
exit "$status"`;

/** Starts the command as a child that ends at the latest some seconds after this process, however that ends. */
export function spawnSupervised({ command, args, env, cwd }: SupervisedCommand): PipedChild {
  const options = { env, cwd, windowsHide: true };
  if (process.platform === "win32") return spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  const child = spawn("/bin/sh", ["-c", SUPERVISOR, "sh", command, ...args], {
    ...options,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  // The first three streams are pipes. The type has no form for four streams.
  return child as unknown as PipedChild;
}

/** Sends the signal to the child and to every process that it has started. */
export function signalGroup(child: PipedChild, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // All of them have ended.
  }
}
