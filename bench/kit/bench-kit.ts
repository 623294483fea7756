import { spawn } from "node:child_process";
import { join } from "node:path";
import type { BenchOptions } from "../bench-options.ts";
import { killAtExit } from "../kill-at-exit.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import type { Figures } from "../scenarios/scenario.ts";
import { KIT_CASES } from "./kit-cases.ts";

const SUBJECTS = ["own", "peer"] as const;
/** The kit whose subject is the peer. */
const PEER = "adk-js";
type SubjectName = (typeof SUBJECTS)[number];

/**
 * Measures both kits as libraries, each measurement in a fresh process, in turn, so that other load of the machine
 * affects both.
 */
export async function benchKit({ rounds, only }: BenchOptions, withPeer: boolean): Promise<void> {
  for (const { name } of KIT_CASES) {
    if (only !== undefined && !name.includes(only)) continue;
    process.stdout.write(`\nkit alone: ${name}\n`);
    const figures: Record<SubjectName, Figures[]> = { own: [], peer: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of SUBJECTS) {
        if (subject === "own" || withPeer) figures[subject].push(await measureInProcess(subject, name));
      }
    }
    printFigures(mediansOf(figures.own), withPeer ? new Map([[PEER, mediansOf(figures.peer)]]) : undefined);
  }
}

/** Measures the live heap over 100,000 turns; takes minutes. */
export async function benchKitMemory(withPeer: boolean): Promise<void> {
  process.stdout.write("\nkit alone: memory, sessions deleted, turns of one call\n");
  const own = await measureInProcess("own", undefined);
  printFigures(own, withPeer ? new Map([[PEER, await measureInProcess("peer", undefined)]]) : undefined);
}

async function measureInProcess(subject: SubjectName, caseName: string | undefined): Promise<Figures> {
  const script = join(import.meta.dirname, "../kit-process.ts");
  const args = ["--expose-gc", script, subject, ...(caseName === undefined ? [] : [caseName])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  killAtExit(child);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`the measurement of ${subject} ended with code ${code}`);
  // The output of kit-process.ts.
  return JSON.parse(output) as Figures;
}
