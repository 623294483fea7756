import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import type { Difference } from "./difference.ts";

/** The replay program's report; informational differences do not count. */
interface ReportedScenario {
  readonly name: string;
  readonly diffs: readonly (Omit<Difference, "scenario"> & { readonly info: boolean })[];
}

/** The recorded scenarios, by the settings of the server that they need. */
export async function readProfiles(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const profiles = new Map<string, string[]>();
  const cases = join(folder, "cases");
  for (const file of (await readdir(cases)).filter((name) => name.endsWith(".json")).sort()) {
    // The form of the recordings' files.
    const { name, profile } = JSON.parse(await readFile(join(cases, file), "utf8")) as {
      name: string;
      profile: string;
    };
    profiles.set(profile, [...(profiles.get(profile) ?? []), name]);
  }
  return profiles;
}

/** A server that answers the recordings, with empty stores. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Starts a server for a profile of the recordings in the folder. */
export type Serve = (folder: string, profile: string) => Promise<Served>;

/** One process, with its stores in memory. */
export async function serveProcess(folder: string, profile: string): Promise<Served> {
  const server = new CliProcess(["--port", "0", "--profile", profile], {
    environment: { REPLAY_DIR: folder },
    script: "test/oracle/serve.ts",
  });
  const [url] = await server.until(/http:\S+/);
  return { url, [Symbol.asyncDispose]: async () => void (await server.end("SIGTERM")) };
}

/** Replays all scenarios of a profile against a fresh server. */
export async function replay(serve: Serve, folder: string, profile: string): Promise<readonly Difference[]> {
  const scratch = await mkdtemp(join(tmpdir(), "oracle-"));
  try {
    await using server = await serve(folder, profile);
    const report = join(scratch, "report.json");
    const args = ["replay", "--base", server.url, "--profile", profile, "--json", report, "--quiet"];
    await using player = new CliProcess(args, { script: join(folder, "oracle.mjs") });
    await player.ended;
    // The form of the program's report.
    const scenarios = JSON.parse(await readFile(report, "utf8")) as readonly ReportedScenario[];
    return scenarios.flatMap(({ name, diffs }) =>
      diffs.filter(({ info }) => !info).map(({ info: _, ...difference }) => ({ scenario: name, ...difference })),
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
