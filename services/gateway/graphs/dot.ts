/** Attributes of a node, an edge or a graph; values are quoted when written. */
export type DotAttributes = Readonly<Record<string, string | number>>;

/** Writes a directed graph in Graphviz's language. Names and labels are untrusted text: all of it is quoted. */
export class DotWriter {
  readonly #lines: string[] = [];
  #indent = "  ";

  constructor(name: string, attributes: DotAttributes) {
    this.#lines.push(`digraph ${quoted(name)} {`);
    this.set("graph", attributes);
  }

  /** Defaults for the statements that follow: of this `graph`, of every `node`, of every `edge`. */
  set(kind: "graph" | "node" | "edge", attributes: DotAttributes): void {
    this.#lines.push(`${this.#indent}${kind}${list(attributes)};`);
  }

  node(name: string, attributes: DotAttributes): void {
    this.#lines.push(`${this.#indent}${quoted(name)}${list(attributes)};`);
  }

  /** An edge to one node, or to each of several; a list of one draws the same as its only member. */
  edge(from: string, to: string | readonly string[], attributes: DotAttributes): void {
    const target = typeof to === "string" ? quoted(to) : `{${to.map(quoted).join(" ")}}`;
    this.#lines.push(`${this.#indent}${quoted(from)} -> ${target}${list(attributes)};`);
  }

  /** A box around the statements that `draw` writes. */
  cluster(name: string, attributes: DotAttributes, draw: () => void): void {
    const outer = this.#indent;
    this.#lines.push(`${outer}subgraph ${quoted(name)} {`);
    this.#indent = `${outer}  `;
    this.set("graph", attributes);
    draw();
    this.#indent = outer;
    this.#lines.push(`${outer}}`);
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n}\n`;
  }
}

function list(attributes: DotAttributes): string {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return "";
  return ` [${entries.map(([key, value]) => `${key}=${key === "label" ? quotedLabel(value) : quoted(value)}`).join(", ")}]`;
}

/** A backslash alone would escape the closing quote, or start one of Graphviz's own escapes. */
function quoted(text: string | number): string {
  const safe = String(text)
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replace(/[\r\n]+/g, "\\n")
    // Control characters end the text for Graphviz, or break the resulting SVG.
    .replace(/\p{Cc}/gu, "");
  return `"${safe}"`;
}

/** Graphviz reads HTML entities in labels. */
function quotedLabel(text: string | number): string {
  return quoted(String(text).replaceAll("&", "&amp;"));
}
