import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { GEN_AI_METRICS } from "#kit/telemetry/gen-ai-metrics.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { createOfferedMetrics } from "#test/helpers/offered-metrics.ts";
import { readSourceFiles } from "#test/helpers/source-files.ts";
import { loadSettings } from "../generator/configuration-page.ts";

const DOCS = join(import.meta.dirname, "..");
const CHART = join(DOCS, "../charts/fairlead");
const RULES = readFileSync(join(CHART, "templates/monitoring/prometheus-rule.yaml"), "utf8");

/** Over which the rules record shares of failed requests. */
const WINDOWS: readonly string[] = [
  ...(/\$window := list ([^}]+)\}\}/.exec(RULES)?.[1] ?? "").matchAll(/"(\w+)"/g),
].map(([, window = ""]) => window);
const METRIC_NAME =
  /\b(?:fairlead_[a-z0-9_]+|fairlead:[a-z_]+:\w+|gen_ai_[a-z_]+|nodejs_[a-z0-9_]+|process_[a-z_]+)\b/g;

interface Page {
  readonly path: string;
  readonly text: string;
}

const pages: readonly Page[] = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map((name) => join(DOCS, "..", name)),
  ...[DOCS, CHART].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.startsWith("site/"))
      .map((name) => join(folder, name)),
  ),
].map((path) => ({ path, text: readFileSync(path, "utf8") }));
const runbooks = pages.filter(({ path }) => dirname(path) === join(DOCS, "runbooks"));
const nameOf = ({ path }: Page): string => relative(DOCS, path);

/**
 * Names that queries may use: metrics at `/metrics`, series of histograms, labels that look like metrics, recording rules.
 */
function offeredNames(): ReadonlySet<string> {
  using metrics = createOfferedMetrics();
  const names = [...metrics.read(undefined).text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const series = names.flatMap(([, name = "", type]) =>
    type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const labels = Object.values(GEN_AI_METRICS).flatMap(({ attributes }) =>
    attributes.map((attribute) => attribute.replaceAll(".", "_")),
  );
  const recorded = [...RULES.matchAll(/record: (\S+?)\{\{/g)].flatMap(([, prefix = ""]) =>
    WINDOWS.map((window) => prefix + window),
  );
  return new Set([...series, ...labels, ...recorded]);
}

describe("runbooks", () => {
  it("are one for each alert of the chart, and none besides", () => {
    const alerts = new Set(RULES.match(/\bFairlead[A-Z][A-Za-z]*/g));
    const named = runbooks.map(({ path }) => path.slice(dirname(path).length + 1, -".md".length));
    expect(alerts.size).toBeGreaterThan(8);
    expect(named.filter((name) => name !== "README").sort()).toEqual([...alerts].sort());
  });

  it("are in the index, and have the same five headings", () => {
    const index = runbooks.find(({ path }) => path.endsWith("README.md"))?.text ?? "";
    for (const page of runbooks.filter(({ path }) => !path.endsWith("README.md"))) {
      const name = nameOf(page).slice("runbooks/".length);
      expect(index).toContain(`](${name})`);
      expect(page.text.match(/^#.*$/gm)?.filter((line) => !line.startsWith("#!"))).toEqual([
        `# ${name.replace(".md", "")}`,
        "## Who is affected",
        "## How to look",
        "## How to fix",
        "## When it is over",
      ]);
    }
  });
});

describe("guides", () => {
  it("name only metrics that exist", async () => {
    const offered = offeredNames();
    const found = pages.flatMap(({ path, text }) => [...text.matchAll(METRIC_NAME)].map(([name]) => ({ path, name })));
    expect(found.length).toBeGreaterThan(80);
    expect(found.filter(({ name }) => !offered.has(name))).toEqual([]);
  });

  it("search logs for messages that the code writes", () => {
    const code = readSourceFiles()
      .filter(({ path }) => /^(?:kit|ports|adapters|services)\//.test(path) && !path.endsWith(".test.ts"))
      .map(({ text }) => text)
      .join("\n");
    const searched = pages.flatMap(({ text }) =>
      [...text.matchAll(/grep (?:-E )?'"([a-z(][^"']+)"'/g)].flatMap(([, message = ""]) => alternativesOf(message)),
    );
    expect(searched.length).toBeGreaterThan(8);
    expect(searched.filter((message) => !code.includes(message))).toEqual([]);
  });

  it("put settings under services that read them", async () => {
    const settings = new Map(
      (await loadSettings()).map(({ title, schema }) => [title, settingsOf(schema).map(({ name }) => name)]),
    );
    const found = pages.flatMap(({ text }) =>
      [...text.matchAll(/((?:`[A-Z_]+`,? ?(?:and |or )?)+)under `([a-z]+)\.settings`/g)].flatMap(
        ([, names = "", service = ""]) =>
          [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => ({ service, name })),
      ),
    );
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(({ service, name }) => settings.get(service)?.includes(name) !== true)).toEqual([]);
  });

  it("are all in the index, and nothing else is", () => {
    const index = pages.find(({ path }) => path === join(DOCS, "README.md"))?.text ?? "";
    const linked = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target).sort();
    const own = pages.map(nameOf).filter((name) => join(DOCS, name).startsWith(`${DOCS}/`) && name !== "README.md");
    const guides = own.filter((name) => !name.startsWith("runbooks/") || name === "runbooks/README.md");
    expect(linked.filter((target) => !target.startsWith("../"))).toEqual(guides.sort());
  });

  it("begin with whom they are for and what these can do after them", () => {
    const guides = pages.filter(
      ({ path }) => path.startsWith(`${DOCS}/`) && nameOf({ path, text: "" }) !== "README.md",
    );
    const begin = /^# .+\n\nFor [^:]+: (?:after this page \S+(?: \S+)* (?:can|know|knows|has|have) |look up )/;
    const own = guides.filter((page) => !runbooks.includes(page) || nameOf(page) === "runbooks/README.md");
    expect(own.length).toBeGreaterThan(50);
    expect(own.filter(({ text }) => !begin.test(text)).map(nameOf)).toEqual([]);
  });

  it("link to files and headings that exist", () => {
    const links = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({ path, target })),
    );
    const own = links.filter(({ target }) => !/^[a-z]+:/.test(target));
    expect(own.length).toBeGreaterThan(40);
    expect(own.filter(({ path, target }) => !exists(path, target))).toEqual([]);
  });
});

/** `part is (not|still not) ready` as two messages. */
function alternativesOf(message: string): readonly string[] {
  const [whole, before = "", choices = "", after = ""] = /^([^(]*)\(([^)]*)\)(.*)$/.exec(message) ?? [];
  return whole === undefined ? [message] : choices.split("|").map((choice) => `${before}${choice}${after}`);
}

function exists(from: string, target: string): boolean {
  const [file = "", heading] = target.split("#");
  const path = file === "" ? from : join(dirname(from), file);
  if (heading === undefined) return existsSync(path);
  return existsSync(path) && headingsOf(readFileSync(path, "utf8")).includes(heading);
}

/** As links name them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
