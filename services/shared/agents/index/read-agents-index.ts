import { isAbsolute, resolve } from "node:path";
import type * as Yaml from "yaml";
import { isIdentifier } from "#kit/names/identifiers.ts";
import { type YamlPath, YamlReader } from "#shared/quota/yaml-reader.ts";
import {
  AGENT_REVISION,
  type AgentsIndex,
  type IndexedRevision,
  MAX_APPS,
  MAX_REVISIONS,
  MAX_WEIGHT,
} from "./agents-index.ts";

const MEMBERS = ["agentRevision", "folder", "weight", "retired"] as const;

/**
 * Reads the text of the file that AGENTS_INDEX names; folders are relative to `directory`, where the file is. Throws
 * `CONFIGURATION` with each fault and its line.
 *
 * @example
 * ```yaml
 * apps:
 *   shop:
 *     - {agentRevision: 77b1d0aa0c11, folder: revisions/shop/77b1d0aa0c11, weight: 10}
 *     - {agentRevision: 4be0c1a2d93f, folder: revisions/shop/4be0c1a2d93f, weight: 90}
 * ```
 */
export function readAgentsIndex(
  yaml: Pick<typeof Yaml, "LineCounter" | "parseDocument">,
  text: string,
  directory: string,
): AgentsIndex {
  const reader = new YamlReader(yaml, text, "AGENTS_INDEX");
  const root = reader.object([], reader.root, ["apps"]);
  const apps = Object.entries(reader.object(["apps"], root["apps"]));
  if (apps.length > MAX_APPS) reader.problem(["apps"], `has more than ${MAX_APPS} apps.`);
  const index = new Map<string, readonly IndexedRevision[]>();
  for (const [name, revisions] of apps.slice(0, MAX_APPS)) {
    if (!isIdentifier(name)) reader.problem(["apps", name], "is not the name of an app.");
    index.set(name, readRevisions(reader, ["apps", name], revisions, directory));
  }
  reader.assertValid();
  return index;
}

function readRevisions(
  reader: YamlReader,
  path: YamlPath,
  value: unknown,
  directory: string,
): readonly IndexedRevision[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REVISIONS) {
    reader.problem(path, `must be a list of 1 to ${MAX_REVISIONS} versions.`);
    return [];
  }
  const revisions = value.map((item: unknown, position) => readRevision(reader, [...path, position], item, directory));
  const names = new Set(revisions.map(({ agentRevision }) => agentRevision));
  if (names.size < revisions.length) reader.problem(path, "lists an agentRevision twice.");
  if (revisions.every(({ weight }) => weight === 0)) reader.problem(path, "gives no version a weight above 0.");
  return revisions;
}

function readRevision(reader: YamlReader, path: YamlPath, value: unknown, directory: string): IndexedRevision {
  const { agentRevision, folder, weight = 0, retired = false } = reader.object(path, value, MEMBERS);
  const isRevision = typeof agentRevision === "string" && AGENT_REVISION.test(agentRevision);
  if (!isRevision)
    reader.problem([...path, "agentRevision"], "must be the twelve digits of an agent revision, in quotes.");
  const isFolder = typeof folder === "string" && folder !== "";
  if (!isFolder) reader.problem([...path, "folder"], "must name the folder of the app's files.");
  const isWeight = typeof weight === "number" && Number.isSafeInteger(weight) && weight >= 0 && weight <= MAX_WEIGHT;
  if (!isWeight) reader.problem([...path, "weight"], `must be a whole number from 0 to ${MAX_WEIGHT}.`);
  if (typeof retired !== "boolean") reader.problem([...path, "retired"], "must be true or false.");
  if (retired === true && weight !== 0)
    reader.problem([...path, "retired"], "is only for a version with the weight 0.");
  return {
    agentRevision: isRevision ? agentRevision : "",
    folder: isFolder ? inFolder(directory, folder) : "",
    weight: isWeight ? weight : 0,
    isRetired: retired === true,
  };
}

function inFolder(directory: string, folder: string): string {
  return isAbsolute(folder) ? folder : resolve(directory, folder);
}
