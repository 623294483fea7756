import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface CommandOptions {
  readonly directory: string;
  /** The program to use as `node`; by default that of the tests. */
  readonly node?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program, and returns its output. Throws with all output if it fails. */
export async function run(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  try {
    const { stdout, stderr } = await execute(program, [...args], {
      cwd: options.directory,
      env: environmentOf(options),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout + stderr;
  } catch (error) {
    // What `execFile` adds to its errors.
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed in ${options.directory}:\n${stdout}${stderr}`);
  }
}

/** What a user's shell has: no settings of npm that the tests' own npm would pass on. */
export function environmentOf({ node = process.execPath, environment }: CommandOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_OPTIONS|VITEST|TEST$)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(node)}:${process.env["PATH"]}`,
    NO_COLOR: "1",
    ...environment,
  };
}

export function npmInstall(directory: string, packages: readonly string[]): Promise<string> {
  return run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...packages], { directory });
}
