import type { Embedder } from "#kit/memory/embedder.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { MAX_COSINE_DISTANCE, MeaningEmbedder } from "#ports/memory/meaning.ts";
import { MAX_MEMORIES } from "#ports/memory/memory-records.ts";
import { type PostgresDatabase, quoted } from "./database/postgres-database.ts";
import { translatePostgresError } from "./database/postgres-errors.ts";

/** Columns of an entry for the search by meaning. */
export interface EmbeddedColumns {
  /** An array of the database as text. */
  readonly embedding: string | null;
  /** The model and the length of the vector: others cannot be compared with it. */
  readonly embedded_by: string | null;
}

export interface FoundRow {
  readonly row_id: number;
  readonly json: string;
}

export const NOT_EMBEDDED: EmbeddedColumns = { embedding: null, embedded_by: null };
/** How many of the user's newest entries a search compares. */
const MAX_COMPARED = 10_000;

/**
 * The search for entries of close meaning with the extension `vector`, which operators create. The entries of a user are
 * compared one by one: they are few, and the result is exact, which an index for approximate search of all users' entries
 * would not give. Without the extension the embedder is not called, and entries are found by words alone.
 */
export class MemoryMeaning {
  readonly #database: PostgresDatabase;
  readonly #embedder: MeaningEmbedder;
  readonly #logger: Logger;
  /** The schema of the extension, once it is known. */
  #extension: string | undefined;
  #hasWarned = false;

  constructor(database: PostgresDatabase, embedder: Embedder, logger: Logger = silentLogger) {
    this.#database = database;
    this.#embedder = new MeaningEmbedder(embedder, logger);
    this.#logger = logger;
  }

  /** The columns of each text's row. */
  async columnsOf(texts: readonly string[]): Promise<readonly EmbeddedColumns[]> {
    const vectors = (await this.#findExtension()) === undefined ? [] : await this.#embedder.embed(texts, "document");
    return texts.map((_, index) => this.#columns(vectors[index]));
  }

  /** Entries of the scope, those of closest meaning first. */
  async search(scopeId: number, query: string): Promise<readonly FoundRow[]> {
    const extension = await this.#findExtension();
    if (extension === undefined) return [];
    const [vector] = await this.#embedder.embed([query], "query");
    const { embedding, embedded_by } = this.#columns(vector);
    if (embedding === null) return [];
    try {
      return await this.#database.read<FoundRow>(searchIn(extension), [scopeId, embedded_by, embedding]);
    } catch (error) {
      const translated = translatePostgresError(error);
      if (translated !== error) throw translated;
      // The extension was removed or moved.
      this.#extension = undefined;
      this.#logger.warn({ error }, "memory is searched by words alone: the database refuses to compare vectors");
      return [];
    }
  }

  #columns(vector: readonly number[] | undefined): EmbeddedColumns {
    if (vector === undefined) return NOT_EMBEDDED;
    return { embedding: `{${vector.join()}}`, embedded_by: `${vector.length} ${this.#embedder.model}` };
  }

  async #findExtension(): Promise<string | undefined> {
    if (this.#extension !== undefined) return this.#extension;
    const [found] = await this.#database.read<{ readonly schema: string }>(
      `SELECT nspname AS schema FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
       WHERE extname = 'vector'`,
    );
    this.#extension = found?.schema;
    if (found === undefined && !this.#hasWarned) {
      this.#hasWarned = true;
      this.#logger.warn({}, "memory is kept and searched by words alone: the database lacks the extension vector");
    }
    return this.#extension;
  }
}

/** The extension can be in any schema. */
function searchIn(extension: string): string {
  const schema = quoted(extension);
  return `
    SELECT row_id, json FROM (
      SELECT row_id, distance FROM (
        SELECT row_id, embedding FROM fairlead.memory_entries WHERE scope_id = $1 AND embedded_by = $2
        ORDER BY time_ms DESC, row_id DESC LIMIT ${MAX_COMPARED}
      ) AS newest CROSS JOIN LATERAL (
        SELECT embedding::${schema}.vector OPERATOR(${schema}.<=>) $3::real[]::${schema}.vector AS distance
      ) AS compared
      WHERE distance <= ${MAX_COSINE_DISTANCE} ORDER BY distance, row_id LIMIT ${MAX_MEMORIES}
    ) AS nearest JOIN fairlead.memory_entries USING (row_id) ORDER BY distance, row_id`;
}
