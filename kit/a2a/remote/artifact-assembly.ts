import type { Part as A2APart, Artifact, TaskArtifactUpdateEvent } from "@a2a-js/sdk";
import type { EventMembers } from "#kit/a2a/conversion/event-metadata.ts";
import { fromArtifact } from "#kit/a2a/conversion/from-a2a.ts";
import type { Part } from "#kit/events/content.ts";

/** How much of an artifact is in complete events: its id, and the count of its first parts. */
export interface ArtifactProgress {
  readonly id: string;
  readonly parts: number;
}

export interface AssembledEvent {
  readonly members: EventMembers;
  /** Absent for a chunk. */
  readonly progress?: ArtifactProgress;
  /** Whether the event joins chunks. */
  readonly isAggregated?: boolean;
}

interface Entry {
  artifact: Artifact;
  parts: A2APart[];
  /** How many of the parts are in complete events. */
  taken: number;
  /** How many of the parts are in complete events or in chunks. */
  shown: number;
  /** Whether a chunk was shown since the last complete event. */
  hasChunks: boolean;
}

/**
 * Makes events of the artifacts of one task. Chunks are partial events; their complete event follows with the last
 * chunk, or when the task ends or waits, because many agents mark no chunk as the last one.
 */
export class ArtifactAssembly {
  readonly #entries = new Map<string, Entry>();
  readonly #taken: Map<string, number>;

  /** `progress`: of an earlier run of the same task, oldest first. */
  constructor(progress: readonly ArtifactProgress[]) {
    this.#taken = new Map(progress.map(({ id, parts }) => [id, parts]));
  }

  /** How many parts are kept. */
  get size(): number {
    let size = 0;
    for (const { parts } of this.#entries.values()) size += parts.length;
    return size;
  }

  /** An update of a stream. */
  take({ artifact, append, lastChunk }: TaskArtifactUpdateEvent): AssembledEvent | undefined {
    if (artifact === undefined || artifact.parts.length === 0) return undefined;
    const entry = this.#entryOf(artifact);
    if (append) entry.parts.push(...artifact.parts);
    else {
      entry.parts = [...artifact.parts];
      entry.taken = 0;
    }
    entry.artifact = artifact;
    if (lastChunk) return this.#complete(entry, artifact.artifactId);
    return chunkOf(entry, artifact.parts);
  }

  /** The artifacts of a task as it stands. `unseen` or `flush` makes events of what is new in them. */
  takeTask(artifacts: readonly Artifact[]): void {
    for (const artifact of artifacts) {
      const entry = this.#entryOf(artifact);
      entry.artifact = artifact;
      entry.parts = [...artifact.parts];
    }
  }

  /** Chunks of what neither chunks nor complete events have: a run that continues a task has all of them too. */
  *unseen(): Generator<AssembledEvent> {
    for (const entry of this.#entries.values()) {
      const parts = entry.parts.slice(entry.shown);
      if (parts.length > 0) yield chunkOf(entry, parts);
    }
  }

  /** The events of what no complete event has: the task has ended, or waits. */
  *flush(): Generator<AssembledEvent> {
    for (const [id, entry] of this.#entries) {
      const event = entry.parts.length > entry.taken ? this.#complete(entry, id) : undefined;
      if (event !== undefined) yield event;
    }
  }

  #entryOf({ artifactId }: Artifact): Entry {
    let entry = this.#entries.get(artifactId);
    if (entry === undefined) {
      const artifact = { artifactId, name: "", description: "", parts: [], metadata: undefined, extensions: [] };
      const taken = this.#taken.get(artifactId) ?? 0;
      entry = { artifact, parts: [], taken, shown: taken, hasChunks: false };
      this.#entries.set(artifactId, entry);
    }
    return entry;
  }

  #complete(entry: Entry, id: string): AssembledEvent {
    const parts = entry.parts.slice(entry.taken);
    const { content, ...members } = fromArtifact({ ...entry.artifact, parts });
    const isAggregated = entry.hasChunks;
    entry.taken = entry.parts.length;
    entry.shown = entry.taken;
    entry.hasChunks = false;
    return {
      members: { ...members, content: content && { ...content, parts: joined(content.parts ?? []) } },
      progress: { id, parts: entry.taken },
      isAggregated,
    };
  }
}

/** A partial event of the newest parts. */
function chunkOf(entry: Entry, parts: readonly A2APart[]): AssembledEvent {
  entry.hasChunks = true;
  entry.shown = entry.parts.length;
  return { members: { ...fromArtifact({ ...entry.artifact, parts: [...parts] }), partial: true } };
}

/** Neighbouring texts that differ in nothing else are one text. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  let texts: string[] = [];
  let isThought: boolean | undefined;
  const end = () => {
    if (texts.length === 0) return;
    all.push(isThought === undefined ? { text: texts.join("") } : { text: texts.join(""), thought: isThought });
    texts = [];
  };
  for (const part of parts) {
    const { text, thought, ...others } = part;
    if (text === undefined || Object.values(others).some((value) => value !== undefined)) {
      end();
      all.push(part);
      continue;
    }
    if (texts.length > 0 && thought !== isThought) end();
    isThought = thought;
    texts.push(text);
  }
  end();
  return all;
}
