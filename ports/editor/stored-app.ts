import { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import { ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { parseDefinition } from "#kit/definitions/yaml/parse-definition.ts";
import { type CanonicalDefinition, canonicalDefinition, entriesOf, fileOf } from "./canonical-definition.ts";
import { otherExtension, ROOT_FILE } from "./definition-path.ts";

export interface StoredFile {
  readonly file: string;
  readonly text: string;
  /** Undefined for a file that cannot be parsed. */
  readonly fields: CanonicalDefinition | undefined;
}

/** The current definitions in an app's folder. */
export class StoredApp {
  readonly #folder: DefinitionFolder;
  readonly #files = new Map<string, StoredFile | undefined>();
  /**
   * Files of the tree below the root, by the names of their agents; of several files with one name the nearest to the
   * root.
   */
  readonly filesByName = new Map<string, string>();

  private constructor(directory: string) {
    this.#folder = new DefinitionFolder(directory, "");
  }

  static async read(directory: string): Promise<StoredApp> {
    const app = new StoredApp(directory);
    await app.#readTree();
    return app;
  }

  /** The file, or its counterpart with the other extension. */
  async find(file: string): Promise<StoredFile | undefined> {
    return (await this.#read(file)) ?? (await this.#read(otherExtension(file)));
  }

  /** Whether the app has the agent of a file that the UI's editor names after its agent. */
  async hasAgent(file: string): Promise<boolean> {
    return this.filesByName.has(file.replace(/\.ya?ml$/i, "")) || (await this.find(file)) !== undefined;
  }

  /** The texts of the files that have been read so far, by their paths. */
  get texts(): ReadonlyMap<string, string> {
    return new Map(
      this.#files.values().flatMap((stored) => (stored === undefined ? [] : [[stored.file, stored.text]])),
    );
  }

  async #readTree(): Promise<void> {
    const waiting = [ROOT_FILE];
    const seen = new Set<string>();
    for (const file of waiting) {
      const stored = await this.find(file);
      if (stored === undefined || seen.has(stored.file)) continue;
      seen.add(stored.file);
      const name = stored.fields?.get("name");
      if (typeof name === "string" && !this.filesByName.has(name)) this.filesByName.set(name, stored.file);
      const entries = [...entriesOf(stored.fields, "subAgents"), ...entriesOf(stored.fields, "tools")];
      for (const target of entries.map(fileOf))
        if (target !== undefined && /\.ya?ml$/i.test(target)) waiting.push(target);
    }
  }

  async #read(file: string): Promise<StoredFile | undefined> {
    if (this.#files.has(file)) return this.#files.get(file);
    const read = await this.#folder.read(file);
    const stored = read.ok ? { file, text: read.text, fields: await this.#fieldsOf(file, read.text) } : undefined;
    this.#files.set(file, stored);
    return stored;
  }

  async #fieldsOf(file: string, text: string): Promise<CanonicalDefinition | undefined> {
    const problems = new ProblemList(file);
    const node = await parseDefinition(text, problems);
    if (node === undefined || problems.count > 0) return undefined;
    return canonicalDefinition(node, (path) => this.#folder.resolve(file, path) ?? path);
  }
}
