import { linkSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const FOLDER = join(tmpdir(), `fairlead-ports-${userInfo().username}`);

/** The ports that this process reserved. They are released when it ends. */
const reserved = new Set<number>();

/**
 * Reserves a port among the processes of this user on this machine, until this process ends. A port is free from the
 * time it is chosen until its server listens, so without a reservation two processes can choose the same one. Returns
 * false if another live process has it, or if this process chose it before.
 */
export function reservePort(port: number): boolean {
  if (reserved.has(port)) return false;
  mkdirSync(FOLDER, { recursive: true });
  if (!createOwnFile(fileOf(port)) && !replaceDeadOwner(fileOf(port))) return false;
  if (reserved.size === 0) process.once("exit", releaseAll);
  reserved.add(port);
  return true;
}

function fileOf(port: number): string {
  return join(FOLDER, String(port));
}

/** Creates the file with its content in one step, so that no other process reads it while it is empty. */
function createOwnFile(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replaceDeadOwner(file: string): boolean {
  try {
    if (isAlive(Number(readFileSync(file, "utf8")))) return false;
    unlinkSync(file);
  } catch (error) {
    // Another process removed it meanwhile.
    if (!isCode(error, "ENOENT")) throw error;
  }
  return createOwnFile(file);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

function releaseAll(): void {
  for (const port of reserved) rmSync(fileOf(port), { force: true });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
