import { execFileSync } from "node:child_process";

export interface ParentProcess {
  readonly pid: number;
  /** Its command line, as `ps` prints it. */
  readonly command: string;
}

const MOST = 6;

/** The parents of a process, nearest first. Empty where there is no `ps`. */
export function parentsOf(pid: number): readonly ParentProcess[] {
  const parents: ParentProcess[] = [];
  let parent = read(pid)?.parent;
  while (parent !== undefined && parent > 1 && parents.length < MOST) {
    const found = read(parent);
    if (found === undefined) break;
    parents.push({ pid: parent, command: found.command });
    parent = found.parent;
  }
  return parents;
}

function read(pid: number): { readonly parent: number; readonly command: string } | undefined {
  try {
    const line = execFileSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], { encoding: "utf8" });
    const [parent = "", ...command] = line.trim().split(" ");
    return parent === "" ? undefined : { parent: Number(parent), command: command.join(" ").trim() };
  } catch {
    return undefined;
  }
}
