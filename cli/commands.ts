import { inspect } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { redactText } from "#kit/errors/redact.ts";
import { shownMessage } from "#kit/errors/shown-error.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { Version } from "#kit/version.ts";
import { type StandaloneConfig, standaloneConfigSchema } from "#services/standalone/config.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { type Environment, loadConfig } from "#shared/config/load-config.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import { COMMANDS, SERVICES, usageOf } from "./command-list.ts";
import { addDotEnv, dotEnvPaths } from "./dot-env.ts";
import { printError, printLine } from "./output/terminal.ts";
import { type Arguments, parseArguments, UsageError } from "./parse-arguments.ts";

/** Runs a command line and returns the exit code, which is 0 for a started server. */
export async function main(typed: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    // The command has its own flags, and no settings.
    if (typed[0] === "runs") await showRuns(typed.slice(1), environment);
    else if (typed[0] === "inbox") await showInbox(typed.slice(1), environment);
    else if (typed[0] === "schedules") await manageSchedules(typed.slice(1), environment);
    else if (typed[0] === "webhooks") await manageWebhooks(typed.slice(1), environment);
    else if (typed[0] === "usage") await showUsage(typed.slice(1), environment);
    else if (typed[0] === "tenants") await manageTenants(typed.slice(1), environment);
    else return await runCommand(typed, environment);
    return 0;
  } catch (error) {
    return report(error);
  }
}

async function showRuns(typed: readonly string[], environment: Environment): Promise<void> {
  if (wantsHelp(typed)) return showHelp("runs");
  const { runs } = await import("./runs/runs.ts");
  printLine(await runs({ typed, ...serverOf(environment), clock: systemClock }));
}

async function showInbox(typed: readonly string[], environment: Environment): Promise<void> {
  if (wantsHelp(typed)) return showHelp("inbox");
  const { inbox } = await import("./runs/inbox.ts");
  printLine(await inbox({ typed, ...serverOf(environment), clock: systemClock }));
}

async function manageSchedules(typed: readonly string[], environment: Environment): Promise<void> {
  if (wantsHelp(typed)) return showHelp("schedules");
  const { schedules } = await import("./runs/schedules.ts");
  printLine(await schedules({ typed, ...serverOf(environment) }));
}

async function manageWebhooks(typed: readonly string[], environment: Environment): Promise<void> {
  if (wantsHelp(typed)) return showHelp("webhooks");
  const { webhooks } = await import("./runs/webhooks.ts");
  printLine(await webhooks({ typed, ...serverOf(environment) }));
}

async function showUsage(typed: readonly string[], environment: Environment): Promise<void> {
  if (wantsHelp(typed)) return showHelp("usage");
  const { usage } = await import("./usage.ts");
  printLine(await usage({ typed, ...serverOf(environment) }));
}

async function manageTenants(typed: readonly string[], environment: Environment): Promise<void> {
  if (wantsHelp(typed)) return showHelp("tenants");
  const { tenants } = await import("./tenants.ts");
  const text = await tenants({ typed, ...serverOf(environment) });
  if (text !== "") printLine(text);
}

function wantsHelp(typed: readonly string[]): boolean {
  return typed.includes("--help") || typed.includes("-h");
}

async function showHelp(topic: string): Promise<void> {
  const { helpOn } = await import("./help.ts");
  printLine(helpOn(topic));
}

/** The server that commands call, and the credentials for it. */
function serverOf(environment: Environment) {
  return { defaultUrl: environment["FAIRLEAD_URL"], credentials: environment["FAIRLEAD_API_KEY"]?.trim() };
}

/** Runs the command and returns the exit code. */
async function runCommand(all: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const typed = parseArguments(all, settingsOf(standaloneConfigSchema));
  const [command, ...words] = typed.words;
  if (typed.wantsVersion) return print(Version.FAIRLEAD_VERSION);
  if (typed.wantsHelp || command === undefined || command === "help") {
    const topic = command === "help" ? words[0] : command;
    const { helpOn, usage } = await import("./help.ts");
    return print(topic === undefined ? usage() : helpOn(topic));
  }
  refuseForeignFlags(command, typed.flags);
  switch (command) {
    case "create": {
      const [path] = expectWords("create", words, 0, 1);
      return createProject(path, typed.flags.get("--template") ?? "basic", typed.flags.has("--yaml"));
    }
    case "serve": {
      const [folder] = expectWords("serve", words, 0, 1);
      if (typed.flags.has("--watch")) return watch(all, agentsFolderOf(typed, folder, environment));
      readDotEnv(typed, folder, environment);
      const { serve } = await import("./serve/serve.ts");
      await serve(serveConfigOf(typed, folder, environment));
      return 0;
    }
    case "check": {
      const [folder] = expectWords("check", words, 0, 1);
      readDotEnv(typed, folder, environment);
      const { AGENTS_DIR, AGENTS_LOADER } = configOf(typed, folder, environment);
      if (AGENTS_LOADER !== "directory") throw new UsageError("fairlead check needs AGENTS_LOADER=directory.");
      const { check } = await import("./check/check.ts");
      return check(AGENTS_DIR, { isJson: typed.flags.has("--json"), isFix: typed.flags.has("--fix"), typed: all });
    }
    case "agents": {
      readDotEnv(typed, undefined, environment);
      const [{ agents }, { createLogger }] = await Promise.all([
        import("./agents/agents.ts"),
        import("#shared/logging/logger.ts"),
      ]);
      const { logger } = await createLogger({ level: "warn", format: "json", destination: process.stderr });
      return print(
        await agents({ words, flags: typed.flags, config: configOf(typed, undefined, environment), logger }),
      );
    }
    case "eval": {
      const [folder, ...sets] = words;
      if (folder === undefined) throw usageError("eval");
      readDotEnv(typed, folder, environment);
      const { evalCommand } = await import("./eval/eval.ts");
      const { credentials } = serverOf(environment);
      return evalCommand({ folder, sets, flags: typed.flags, credentials });
    }
    case "completion": {
      const [shell = ""] = expectWords("completion", words, 1, 1);
      const { completionFor } = await import("./completion/completion.ts");
      return print(completionFor(shell));
    }
    case "run": {
      const [folder, appName] = expectWords("run", words, 1, 2);
      readDotEnv(typed, folder, environment, appName);
      const { run } = await import("./chat/run.ts");
      const sessionId = typed.flags.get("--resume");
      const recordWire = typed.flags.get("--record-wire");
      return run({ settings: configOf(typed, folder, environment), appName, sessionId, recordWire, environment });
    }
    case "keys": {
      const [action, ...rest] = words;
      readDotEnv(typed, undefined, environment);
      const { keys } = await import("./keys/keys.ts");
      const config = configOf(typed, undefined, environment);
      return print(
        await keys({ action, words: rest, flags: typed.flags, config, clock: systemClock, ids: new UuidV7Generator() }),
      );
    }
    case "credentials": {
      const [action, ...rest] = words;
      readDotEnv(typed, undefined, environment);
      const [{ credentials }, { createLogger }] = await Promise.all([
        import("./credentials/credentials.ts"),
        import("#shared/logging/logger.ts"),
      ]);
      const config = configOf(typed, undefined, environment);
      const { logger } = await createLogger({ level: "silent", format: "json" });
      const time = { clock: systemClock, ids: new UuidV7Generator() };
      return credentials({ action, words: rest, flags: typed.flags, config, logger, ...time, print: printLine });
    }
    case "audit": {
      const [action, ...paths] = words;
      readDotEnv(typed, undefined, environment);
      const { audit } = await import("./audit/audit.ts");
      const config = configOf(typed, undefined, environment);
      return audit({ action, paths, flags: typed.flags, config, stdin: process.stdin, print: printLine });
    }
    case "db": {
      const [action] = expectWords("db", words, 1, 1);
      readDotEnv(typed, undefined, environment);
      const { db } = await import("./db/db.ts");
      return db({ action, flags: typed.flags, config: configOf(typed, undefined, environment), print: printLine });
    }
    case "prune": {
      readDotEnv(typed, undefined, environment);
      const { prune } = await import("./prune/prune.ts");
      return prune({ words, flags: typed.flags, ...(await workOnStores(typed, environment)) });
    }
    case "import": {
      const [source = ""] = expectWords("import", words, 1, 1);
      readDotEnv(typed, undefined, environment);
      const { importCommand } = await import("./import/import.ts");
      return importCommand({ source, flags: typed.flags, ...(await workOnStores(typed, environment)) });
    }
    case "export": {
      const [file = ""] = expectWords("export", words, 1, 1);
      readDotEnv(typed, undefined, environment);
      const { exportCommand } = await import("./export/export.ts");
      return exportCommand({ file, flags: typed.flags, ...(await workOnStores(typed, environment)) });
    }
    case "ui": {
      const [verb] = expectWords("ui", words, 1, 1);
      if (verb !== "install") throw usageError("ui");
      const { installDevUi } = await import("./dev-ui.ts");
      return installDevUi();
    }
    default: {
      const hint = suggestion(command, [...COMMANDS.map(({ name }) => name), ...SERVICES]) || ": see fairlead --help.";
      throw new UsageError(`There is no command "${command}"${hint}`);
    }
  }
}

function print(text: string): number {
  printLine(text);
  return 0;
}

/** What commands need that work on the stores of the settings. A signal lets them end at a place where they can continue. */
async function workOnStores(typed: Arguments, environment: NodeJS.ProcessEnv) {
  const config = configOf(typed, undefined, environment);
  const { createLogger } = await import("#shared/logging/logger.ts");
  // The output has what the command prints.
  const { logger } = await createLogger({ level: "warn", format: "json", destination: process.stderr });
  const end = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => end.abort(new UsageError("Interrupted.")));
  return { config, logger, clock: systemClock, ids: new UuidV7Generator(), signal: end.signal, print: printLine };
}

async function createProject(given: string | undefined, template: string, isYaml: boolean): Promise<number> {
  const { create, templateOf } = await import("./create/create.ts");
  // A wrong name is reported before a question is asked.
  templateOf(template, isYaml);
  const { askPath } = await import("./create/ask-path.ts");
  const path = given ?? (await askPath());
  if (path === "") throw usageError("create");
  return print(await create({ path, template, isYaml, directory: process.cwd() }));
}

/** The `.env` files of the project and of its agents count as part of the environment: agents and models read their keys there. */
function readDotEnv(
  { settings }: Arguments,
  folder: string | undefined,
  environment: NodeJS.ProcessEnv,
  appName?: string,
): void {
  addDotEnv(environment, dotEnvPaths(agentsFolderOf({ settings }, folder, environment), process.cwd(), appName));
}

function agentsFolderOf(
  { settings }: Pick<Arguments, "settings">,
  folder: string | undefined,
  environment: Environment,
): string {
  return folder ?? settings["AGENTS_DIR"] ?? (environment["AGENTS_DIR"] || "agents");
}

/** The child reads `.env` at each start. */
async function watch(typed: readonly string[], agentsFolder: string): Promise<number> {
  const { watchAndServe } = await import("./serve/watch.ts");
  return watchAndServe({ agentsFolder, typed: typed.filter((word) => word !== "--watch") });
}

function refuseForeignFlags(name: string, flags: ReadonlyMap<string, string>): void {
  const own = COMMANDS.find((command) => command.name === name)?.flags ?? [];
  for (const flag of flags.keys()) {
    if (own.some((known) => known.name === flag)) continue;
    const owners = COMMANDS.filter((command) => command.flags.some((known) => known.name === flag));
    throw new UsageError(`${flag} belongs to fairlead ${owners.map((owner) => owner.name).join(" and ")}.`);
  }
}

function expectWords(name: string, words: readonly string[], least: number, most: number): readonly string[] {
  if (words.length >= least && words.length <= most) return words;
  throw usageError(name);
}

function usageError(name: string): UsageError {
  const command = COMMANDS.find((known) => known.name === name);
  return new UsageError(`Usage: fairlead ${command === undefined ? name : usageOf(command)}`);
}

function configOf({ settings }: Arguments, folder: string | undefined, environment: Environment): StandaloneConfig {
  if (folder !== undefined && settings["AGENTS_DIR"] !== undefined) {
    throw new UsageError("The folder of agents is given twice: as a word and by --agents.");
  }
  const typed = folder === undefined ? settings : { ...settings, AGENTS_DIR: folder };
  // A flag also replaces the secret's file in the environment, as both together would be a conflict.
  const files = Object.fromEntries(Object.keys(typed).map((name) => [`${name}_FILE`, undefined]));
  return loadConfig(standaloneConfigSchema, { ...environment, ...files, ...typed });
}

/** A local server lets the developer UI edit agents, unless a setting forbids it or other machines reach the server. */
function serveConfigOf(typed: Arguments, folder: string | undefined, environment: Environment): StandaloneConfig {
  const config = configOf(typed, folder, environment);
  if (!isLoopback(config.HOST)) return config;
  return configOf(typed, folder, { AGENT_EDITOR: "true", ...withoutEmpty(environment) });
}

/** An empty variable counts as unset. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** The user who typed the command reads its errors. */
const IN_TERMINAL = { errorDetail: "full", place: "this command" } as const;

function report(error: unknown): number {
  if (error instanceof UsageError) {
    printError(`fairlead: ${error.message}`);
    return 2;
  }
  if (error instanceof PlatformError) {
    for (const line of shownMessage(error, IN_TERMINAL).split("\n")) printError(`fairlead: ${line}`);
    return 1;
  }
  printError(redactText(inspect(error)));
  return 1;
}
