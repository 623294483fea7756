import { posix } from "node:path";
import type { ConfigNode } from "#kit/definitions/yaml/config-node.ts";
import { DefinitionException, ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { parseDefinition } from "#kit/definitions/yaml/parse-definition.ts";
import { Reading } from "#kit/definitions/yaml/reading.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_AGENT_CLASS, fieldsOf, simpleClass } from "./agent-fields.ts";
import { type CanonicalDefinition, canonicalDefinition, entriesOf, fileOf } from "./canonical-definition.ts";
import { checkSavedFields } from "./check-saved-fields.ts";
import { ROOT_FILE } from "./definition-path.ts";
import { mergeDefinition } from "./merge-definition.ts";
import { serveDefinition } from "./serve-definition.ts";
import type { StoredApp, StoredFile } from "./stored-app.ts";

interface Upload {
  readonly path: string;
  readonly text: string;
  readonly node: ConfigNode;
  /** The file in which its agent is or will be stored. */
  readonly target: string;
  readonly stored: StoredFile | undefined;
}

/**
 * Assigns the uploaded texts to files. The UI's editor names each file after its agent and does not support folders: an
 * agent of the app is saved in its existing file. Throws `INVALID_FIELD` with every problem of every upload.
 */
export async function planSave(
  uploads: ReadonlyMap<string, string>,
  app: StoredApp,
): Promise<ReadonlyMap<string, string>> {
  const files = await locate(await parseAll(uploads), app);
  const targets = new Map(files.map(({ path, target }) => [path, target]));
  const problems = new ProblemList("");
  const planned = new Map<string, string>();
  for (const file of files) {
    const ofFile = problems.forFile(file.path);
    const given = await canonical(file, targets, app, ofFile);
    checkSavedFields(file.node, { given, stored: file.stored?.fields, problems: ofFile });
    planned.set(file.target, await textOf(file, given));
  }
  refuseIfAny(problems);
  for (const { path, target } of files) await checkFields(path, planned.get(target) ?? "", problems);
  refuseIfAny(problems);
  return planned;
}

/** Refuses fields that may not be saved over HTTP; a draft may otherwise be incomplete. */
export async function checkDraft(uploads: ReadonlyMap<string, string>, app: StoredApp): Promise<void> {
  const problems = new ProblemList("");
  for (const file of await locate(await parseAll(uploads), app)) {
    const given = canonicalDefinition(file.node, (path) => resolveIn(file.path, path)) ?? new Map();
    checkSavedFields(file.node, { given, stored: file.stored?.fields, problems: problems.forFile(file.path) });
  }
  refuseIfAny(problems);
}

type Parsed = Pick<Upload, "path" | "text" | "node">;

async function parseAll(uploads: ReadonlyMap<string, string>): Promise<readonly Parsed[]> {
  const problems = new ProblemList("");
  const parsed: Parsed[] = [];
  for (const [path, text] of uploads) {
    const node = await parseDefinition(text, problems.forFile(path));
    if (node !== undefined) parsed.push({ path, text, node });
  }
  refuseIfAny(problems);
  return parsed;
}

async function locate(parsed: readonly Parsed[], app: StoredApp): Promise<readonly Upload[]> {
  const taken = new Set<string>();
  const found: Upload[] = [];
  // Agents that have a file come first, so that a new agent does not get their file.
  const known = (file: Parsed): string | undefined => knownFile(file, app);
  const inOrder = [...parsed].sort((a, b) => Number(known(a) === undefined) - Number(known(b) === undefined));
  for (const file of inOrder) {
    const wanted = known(file) ?? file.path;
    const stored = taken.has(wanted) ? undefined : await app.find(wanted);
    const target = stored?.file ?? (await freeName(wanted, taken, app));
    taken.add(target);
    found.push({ ...file, target, stored });
  }
  return found;
}

function knownFile({ path, node }: Parsed, app: StoredApp): string | undefined {
  if (path === ROOT_FILE) return ROOT_FILE;
  const name = nameOf(node);
  return name !== undefined && path === `${name}.yaml` ? app.filesByName.get(name) : undefined;
}

async function freeName(wanted: string, taken: ReadonlySet<string>, app: StoredApp): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : wanted.replace(/(\.ya?ml)$/i, `_${number}$1`);
    if (!taken.has(name) && (await app.find(name)) === undefined) return name;
  }
}

function nameOf(node: ConfigNode): string | undefined {
  const entry = node.kind === "map" ? node.entries.find(({ key }) => key === "name") : undefined;
  return entry?.value.kind === "scalar" && typeof entry.value.value === "string" ? entry.value.value : undefined;
}

/** The upload's fields, with references to the files in which the agents are stored. */
async function canonical(
  { path, node }: Upload,
  targets: ReadonlyMap<string, string>,
  app: StoredApp,
  problems: ProblemList,
): Promise<CanonicalDefinition> {
  const places = new Map<string, string>();
  const given = canonicalDefinition(node, (ref) => ref) ?? new Map();
  for (const ref of [...entriesOf(given, "subAgents"), ...entriesOf(given, "tools")].map(fileOf)) {
    if (ref === undefined) continue;
    // Relative to the file itself, or else to the app's folder, from which the editor gets all paths.
    const candidates = [resolveIn(path, ref), resolveIn(ROOT_FILE, ref)];
    const uploaded = candidates.find((candidate) => targets.has(candidate));
    const place = uploaded === undefined ? await findFirst(candidates, app) : targets.get(uploaded);
    if (place === undefined)
      problems.add(`There is no file "${ref}": upload it too, or remove the reference.`, node.at);
    else places.set(ref, place);
  }
  return canonicalDefinition(node, (ref) => places.get(ref) ?? ref) ?? new Map();
}

async function findFirst(candidates: readonly string[], app: StoredApp): Promise<string | undefined> {
  for (const candidate of candidates) {
    const found = candidate.startsWith("..") ? undefined : await app.find(candidate);
    if (found !== undefined) return found.file;
  }
  return undefined;
}

function resolveIn(file: string, ref: string): string {
  return posix.join(posix.dirname(file), ref);
}

async function textOf(file: Upload, given: CanonicalDefinition): Promise<string> {
  const { stored, target, path, text } = file;
  if (stored?.fields !== undefined)
    return mergeDefinition({ ...stored, fields: stored.fields, isRoot: path === ROOT_FILE }, given);
  const relative = (ref: string): string => posix.relative(posix.dirname(target), ref);
  const refs = [...entriesOf(given, "subAgents"), ...entriesOf(given, "tools")].map(fileOf);
  const before = canonicalDefinition(file.node, (ref) => resolveIn(target, ref));
  const moved = before === undefined || refs.some((ref, at) => refsOf(before)[at] !== ref);
  if (!moved) return text;
  const places = new Map(refsOf(canonicalDefinition(file.node, (ref) => ref)).map((ref, at) => [ref, refs[at]]));
  return serveDefinition(text, (ref) => relative(places.get(ref) ?? ref));
}

function refsOf(definition: CanonicalDefinition | undefined): readonly (string | undefined)[] {
  return [...entriesOf(definition, "subAgents"), ...entriesOf(definition, "tools")].map(fileOf);
}

/**
 * Whether the loader will accept the file. Facts that only the running program has, such as its tools, are checked by
 * the loader.
 */
async function checkFields(path: string, text: string, problems: ProblemList): Promise<void> {
  const ofFile = problems.forFile(path);
  const node = await parseDefinition(text, ofFile);
  const given = node?.kind === "map" ? canonicalDefinition(node, (ref) => ref)?.get("agentClass") : undefined;
  const fields = fieldsOf(typeof given === "string" ? simpleClass(given) : DEFAULT_AGENT_CLASS);
  if (node === undefined || fields === undefined) return;
  // Reads the fields by the loader's shape only for its checks.
  new Reading(ofFile).read(node, fields);
}

function refuseIfAny(problems: ProblemList): void {
  try {
    problems.throwIfAny();
  } catch (error) {
    if (!(error instanceof DefinitionException)) throw error;
    throw new PlatformError("INVALID_FIELD", error.message, { details: { field: "files" }, cause: error });
  }
}
