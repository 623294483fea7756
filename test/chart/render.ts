import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { findChartTools } from "./chart-tools.ts";

export const CHART: string = join(REPOSITORY_ROOT, "charts/fairlead");
/** The fields of objects that the tests use. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [member: string]: unknown;
}

export type Values = Readonly<Record<string, unknown>>;

export const tools = await findChartTools();

/** Go programs without the release's build flags assume an old version of Kubernetes. */
const KUBE_VERSION = ["--kube-version", "1.34.0"];
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** Required values that decide nothing: names of a store, of Redis and of a folder of agents, and that all may call. */
export const BASE: Values = {
  firestore: { projectId: "project" },
  gcs: { bucket: "bucket" },
  redis: { url: "redis://redis:6379" },
  agents: { imageFolder: "/app/agents" },
  gateway: { allowUnauthenticated: true },
};

export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  readonly scenario?: string;
  readonly version?: string;
}

/** The objects of a release with these values over the base, or over a scenario. Throws Helm's own message. */
export async function render(values: Values = {}, options: RenderOptions = {}): Promise<readonly KubernetesObject[]> {
  return parseObjects(await renderText(values, options));
}

export function renderText(values: Values = {}, options: RenderOptions = {}): Promise<string> {
  const { release = "agents", namespace = "team", scenario } = options;
  const given = scenario === undefined ? merge(BASE, values) : values;
  const files = scenario === undefined ? [] : ["--values", scenarioPath(scenario)];
  return helm(["template", release, CHART, "--namespace", namespace, ...files, "--values", "-"], JSON.stringify(given));
}

export function scenarioPath(name: string): string {
  return join(CHART, "scenarios", `${name}.yaml`);
}

export const SCENARIOS: readonly string[] = readdirSync(join(CHART, "scenarios")).map((file) =>
  file.replace(".yaml", ""),
);

export async function helm(args: readonly string[], input = ""): Promise<string> {
  const child = promisify(execFile)(tools.helm ?? "helm", [...args, ...KUBE_VERSION], { maxBuffer: MAX_OUTPUT_BYTES });
  child.child.stdin?.end(input);
  try {
    return (await child).stdout;
  } catch (error) {
    // Errors of execFile carry the program's output.
    throw new Error((error as { readonly stderr?: string }).stderr ?? String(error));
  }
}

export function parseObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object: unknown = document.toJS();
    // A document with only a comment holds nothing; all others are objects, which the API check verifies.
    return object === null ? [] : [object as KubernetesObject];
  });
}

/** Maps are merged and everything else is replaced, as Helm does with values. */
export function merge(under: Values, over: Values): Values {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isMap(below) && isMap(value) ? merge(below, value) : value;
  }
  return result;
}

export function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The one object of that kind and name. */
export function find(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  if (found.length !== 1) throw new Error(`There are ${found.length} objects ${kind} ${name}.`);
  return found[0]!;
}

/** The value at the path `a.b.0.c`, or undefined. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split(".")) {
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isMap(found) ? found[key] : undefined;
  }
  return found;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}
