import { isMap, isNode, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";

interface Row {
  readonly key: string;
  readonly value: string;
  readonly description: string;
}

/** Of longer defaults the table names the type only: the file has them. */
const MAX_DEFAULT_LENGTH = 60;

/**
 * The chart's README: a handwritten part, and a table for each part of the values. Throws for a value without a `# --`.
 */
export function readmePage(intro: string, valuesText: string): string {
  const document = parseDocument(valuesText);
  if (!isMap(document.contents)) throw new Error("values.yaml holds no map.");
  const rows = rowsOf(document.contents, "");
  const sections = Map.groupBy(rows, ({ key }) => key.split(".")[0] ?? "");
  const general = [...sections.values()].filter((section) => section.length === 1).flat();
  const parts = [...sections.values()].filter((section) => section.length > 1);
  return [
    intro.trim(),
    "## Values",
    "A key of `defaults` may be set under each service as well, and has precedence there.",
    table(general),
    ...parts.flatMap((section) => [`### ${section[0]?.key.split(".")[0]}`, table(section)]),
    "",
  ].join("\n\n");
}

/** A map has a row per key if its keys have remarks, else a single row. */
function rowsOf(map: YAMLMap, prefix: string): readonly Row[] {
  return map.items.flatMap((pair, at): readonly Row[] => {
    if (!isScalar(pair.key)) throw new Error(`A key below ${prefix} is not text.`);
    const key = prefix === "" ? String(pair.key.value) : `${prefix}.${pair.key.value}`;
    const description = remarkOf(map, pair, at);
    const { value } = pair;
    const below = isMap(value) && hasRemarks(value) ? rowsOf(value, key) : [];
    if (description !== undefined) {
      return [{ key, value: below.length > 0 ? "" : defaultOf(value), description }, ...below];
    }
    if (below.length > 0) return below;
    throw new Error(`${key} has no "# --" above it.`);
  });
}

function hasRemarks(map: YAMLMap): boolean {
  return map.items.some(
    (pair, at) => remarkOf(map, pair, at) !== undefined || (isMap(pair.value) && hasRemarks(pair.value)),
  );
}

/** The remark above the key. The library attaches that of a map's first key to the map. */
function remarkOf(map: YAMLMap, { key }: Pair, at: number): string | undefined {
  const own = isScalar(key) ? key.commentBefore : undefined;
  const lines = (own ?? (at === 0 ? map.commentBefore : undefined) ?? "").split("\n").map((line) => line.trim());
  const start = lines.findIndex((line) => line.startsWith("-- "));
  return start === -1 ? undefined : lines.slice(start).join(" ").slice("-- ".length);
}

function defaultOf(value: unknown): string {
  const text = JSON.stringify(isNode(value) ? value.toJSON() : value) ?? "null";
  return text.length > MAX_DEFAULT_LENGTH ? "see values.yaml" : `\`${text}\``;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ key, value, description }) => `| \`${key}\` | ${cell(value)} | ${cell(description)} |`);
  return ["| key | default | meaning |", "| --- | --- | --- |", ...lines].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
