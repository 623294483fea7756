import { cp, mkdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DEFINITION_FILES, findAppFolders, MODULE_FILES } from "#kit/definitions/loaders/app-folder.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { escapeSegment } from "#kit/names/identifiers.ts";
import { type AgentsIndex, type IndexedRevision, MAX_REVISIONS } from "#shared/agents/index/agents-index.ts";
import { changeAgentsIndex } from "#shared/agents/index/write-agents-index.ts";
import { UsageError } from "../parse-arguments.ts";
import type { AgentsCommand } from "./agents.ts";

type Addition = Pick<AgentsCommand, "config" | "logger"> & { readonly appName: string };

/**
 * Copies the present files of an app beside the index, and lists the copy as its newest version: without sessions, or
 * with all if it is the app's first. The copy has to work by itself. Throws `UsageError` if the version is listed
 * already or there is no such app, `CONFIGURATION` if the copy cannot be loaded.
 */
export async function addRevision({ appName, config, logger }: Addition): Promise<IndexedRevision> {
  const { AGENTS_INDEX, AGENTS_DIR, AGENT_REVISION_SALT: revisionSalt } = config;
  const { apps } = await findAppFolders({ root: AGENTS_DIR, files: [...MODULE_FILES, ...DEFINITION_FILES] });
  const source = apps.get(appName)?.directory;
  if (source === undefined) throw new UsageError(`There is no app ${appName} in ${AGENTS_DIR}.`);
  const revisionOf = async (directory: string): Promise<string> => {
    const loader = new DirectoryAgentLoader({ appName, directory, hotReload: false, logger, revisionSalt });
    try {
      return (await loader.loadAgent(appName)).agentRevision ?? "";
    } finally {
      await loader.close();
    }
  };
  const agentRevision = await revisionOf(source);
  const folder = join(dirname(resolve(AGENTS_INDEX)), "revisions", escapeSegment(appName), agentRevision);
  let added: IndexedRevision | undefined;
  await changeAgentsIndex(AGENTS_INDEX, async (index) => {
    added = { agentRevision, folder, weight: index.has(appName) ? 0 : 100, isRetired: false };
    const changed = withRevision(index, appName, added);
    await copy(source, folder);
    const copied = await revisionOf(folder).catch((error: unknown) => error);
    if (copied === agentRevision) return changed;
    await rm(folder, { recursive: true });
    const reason = copied instanceof PlatformError ? copied.message : "its files are others.";
    const fix = "Put what it imports into its folder, or list a folder of yours in the index.";
    throw new PlatformError("CONFIGURATION", `A copy of ${appName} does not work by itself: ${reason} ${fix}`, {
      cause: copied,
    });
  });
  if (added === undefined) throw new Error("The index was changed without the version.");
  return added;
}

function withRevision(index: AgentsIndex, appName: string, added: IndexedRevision): AgentsIndex {
  const revisions = index.get(appName) ?? [];
  if (revisions.some(({ agentRevision }) => agentRevision === added.agentRevision))
    throw new UsageError(`Version ${added.agentRevision} of ${appName} is in the index already.`);
  if (revisions.length >= MAX_REVISIONS)
    throw new UsageError(`The index lists ${MAX_REVISIONS} versions of ${appName}: remove a retired one.`);
  return new Map([...index, [appName, [added, ...revisions]]]);
}

/** Files that no app is made of are left out. */
async function copy(source: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  // Of a command that was killed.
  await rm(folder, { recursive: true, force: true });
  const filter = (path: string): boolean => path === source || !/^\.|^node_modules$/.test(basename(path));
  await cp(source, folder, { recursive: true, dereference: true, filter });
}
