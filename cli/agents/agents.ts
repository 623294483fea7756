import type { Logger } from "#kit/platform/logger.ts";
import { type AgentsIndex, heaviest, type IndexedRevision, MAX_WEIGHT } from "#shared/agents/index/agents-index.ts";
import { changeAgentsIndex, loadAgentsIndex } from "#shared/agents/index/write-agents-index.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";
import { unknownAction } from "../typed-options.ts";

export interface AgentsCommand {
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly config: { readonly AGENTS_INDEX: string; readonly AGENTS_DIR: string; readonly AGENT_REVISION_SALT: string };
  readonly logger: Logger;
}

const USAGES = {
  list: "list [app]",
  add: "add <app>",
  weight: "weight <app> <revision>=<weight> …",
  pin: "pin <app> <revision>",
  rollback: "rollback <app>",
  retire: "retire <app> <revision>",
  remove: "remove <app> <revision>",
} as const;

type Action = keyof typeof USAGES;

/**
 * Returns the output of `fairlead agents`: the versions of apps that the index lists, or what became of a change of it.
 * Throws `UsageError` for wrong arguments, `CONFIGURATION` for an index or an app that cannot be used.
 */
export async function agents({ words, flags, config, logger }: AgentsCommand): Promise<string> {
  const [action = "list", appName, ...rest] = words;
  if (!Object.hasOwn(USAGES, action)) throw unknownAction("agents", action, Object.keys(USAGES));
  const known = action as Action;
  const file = config.AGENTS_INDEX;
  if (file === "") throw new UsageError("AGENTS_INDEX is empty: name the file with the versions of agents.");
  if (known === "list") {
    if (rest.length > 0) throw wrong(known);
    return listed(await loadAgentsIndex(file), appName, flags.has("--json"));
  }
  if (appName === undefined) throw wrong(known);
  if (known === "add") {
    if (rest.length > 0) throw wrong(known);
    const { addRevision } = await import("./add-revision.ts");
    const { agentRevision, weight } = await addRevision({ appName, config, logger });
    return `Version ${agentRevision} of ${appName} is in the index, with the weight ${weight}.`;
  }
  const changed = CHANGES[known](appName, rest);
  await changeAgentsIndex(file, (index) => {
    const revisions = index.get(appName);
    if (revisions === undefined)
      throw new UsageError(`The index does not list ${appName}: fairlead agents add ${appName}.`);
    const result = changed(revisions);
    return new Map([...index].map(([name, each]) => [name, name === appName ? result : each]));
  });
  return listed(await loadAgentsIndex(file), appName, flags.has("--json"));
}

type Change = (revisions: readonly IndexedRevision[]) => readonly IndexedRevision[];

const CHANGES: Readonly<Record<Exclude<Action, "list" | "add">, (appName: string, rest: readonly string[]) => Change>> =
  {
    weight: (appName, rest) => {
      if (rest.length === 0) throw wrong("weight");
      const weights = rest.map(readWeight);
      return (revisions) =>
        weights.reduce<readonly IndexedRevision[]>((all, [name, weight]) => {
          const chosen = find(all, appName, name);
          return all.map((each) =>
            each === chosen ? { ...each, weight, isRetired: each.isRetired && weight === 0 } : each,
          );
        }, revisions);
    },
    pin: (appName, rest) => (revisions) => pinned(revisions, find(revisions, appName, onlyWord("pin", rest))),
    rollback: (appName, rest) => (revisions) => {
      if (rest.length > 0) throw wrong("rollback");
      const current = heaviest(revisions);
      const former = revisions
        .slice(revisions.findIndex((each) => each === current) + 1)
        .find((each) => !each.isRetired);
      if (former === undefined)
        throw new UsageError(`There is no version of ${appName} before ${current?.agentRevision}.`);
      return pinned(revisions, former);
    },
    retire: (appName, rest) => (revisions) => {
      const chosen = find(revisions, appName, onlyWord("retire", rest));
      return revisions.map((each) => (each === chosen ? { ...each, weight: 0, isRetired: true } : each));
    },
    remove: (appName, rest) => (revisions) => {
      const chosen = find(revisions, appName, onlyWord("remove", rest));
      if (!chosen.isRetired) throw new UsageError(`Version ${chosen.agentRevision} is not retired: retire it first.`);
      return revisions.filter((each) => each !== chosen);
    },
  };

function pinned(revisions: readonly IndexedRevision[], chosen: IndexedRevision): readonly IndexedRevision[] {
  return revisions.map((each) =>
    each === chosen ? { ...each, weight: 100, isRetired: false } : { ...each, weight: 0 },
  );
}

/** A version by the beginning of its name, as for commits. */
function find(revisions: readonly IndexedRevision[], appName: string, name: string): IndexedRevision {
  const found = revisions.filter(({ agentRevision }) => agentRevision.startsWith(name));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = revisions.map(({ agentRevision }) => agentRevision).join(", ");
  throw new UsageError(
    `${found.length === 0 ? "No version" : "More than one version"} of ${appName} begins with "${name}": ${names}.`,
  );
}

function readWeight(word: string): readonly [name: string, weight: number] {
  const [name = "", text = ""] = word.split("=", 2);
  const weight = Number(text);
  if (name === "" || text === "" || !Number.isInteger(weight) || weight < 0 || weight > MAX_WEIGHT)
    throw new UsageError(`"${word}" is not <revision>=<weight>, with a whole number from 0 to ${MAX_WEIGHT}.`);
  return [name, weight];
}

function onlyWord(action: Action, rest: readonly string[]): string {
  const [word] = rest;
  if (word === undefined || word === "" || rest.length > 1) throw wrong(action);
  return word;
}

function wrong(action: Action): UsageError {
  return new UsageError(`Usage: fairlead agents ${USAGES[action]}`);
}

function listed(index: AgentsIndex, appName: string | undefined, isJson: boolean): string {
  const apps = [...index].filter(([name]) => appName === undefined || name === appName);
  if (isJson) return JSON.stringify(Object.fromEntries(apps), null, 2);
  if (apps.length === 0) return appName === undefined ? "The index is empty." : `The index does not list ${appName}.`;
  const rows = apps.flatMap(([name, revisions]) => {
    const total = revisions.reduce((sum, { weight }) => sum + weight, 0);
    return revisions.map(({ agentRevision, weight, isRetired, folder }) => [
      ...[name, agentRevision, isRetired ? "retired" : `${Math.round((100 * weight) / total)} %`, folder],
    ]);
  });
  return textTable([["APP", "VERSION", "NEW SESSIONS", "FOLDER"], ...rows]);
}
