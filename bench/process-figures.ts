import { readFileSync } from "node:fs";

/** Clock ticks of /proc per second; fixed on Linux for all machines that this runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time of the process so far, all threads, in microseconds. */
export function cpuMicrosOf(pid: number): number {
  const [user = 0, system = 0] = ticksOf(pid);
  return ((user + system) / TICKS_PER_SECOND) * 1e6;
}

/** That of the process and its children, those that have ended included. */
export function cpuMicrosOfFamily(pid: number): number {
  const ended = ticksOf(pid).reduce((sum, ticks) => sum + ticks, 0);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children.reduce((sum, child) => sum + cpuMicrosOf(Number(child)), (ended / TICKS_PER_SECOND) * 1e6);
}

/** User and system time of the process, then those of its children that have ended. */
function ticksOf(pid: number): readonly number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the command in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).map(Number);
}

export function residentMegabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
