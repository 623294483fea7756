import type { Part as A2APart, TaskArtifactUpdateEvent } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { ArtifactAssembly } from "./artifact-assembly.ts";

function part(value: string, metadata?: { readonly adk_thought: true }): A2APart {
  return { content: { $case: "text", value }, metadata, filename: "", mediaType: "" };
}

function update(parts: A2APart[], given: Partial<TaskArtifactUpdateEvent> = {}): TaskArtifactUpdateEvent {
  const artifact = { artifactId: "a", name: "", description: "", parts, metadata: undefined, extensions: [] };
  return { taskId: "t", contextId: "c", artifact, append: true, lastChunk: false, metadata: undefined, ...given };
}

const thought = { adk_thought: true } as const;

describe("the complete event of an artifact", () => {
  it("joins neighbouring texts, and keeps thoughts apart from the answer", () => {
    const assembly = new ArtifactAssembly([]);
    for (const one of [part("Hm", thought), part("m.", thought), part("It is "), part("so.")])
      assembly.take(update([one]));
    const [event, ...others] = assembly.flush();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ isAggregated: true, progress: { id: "a", parts: 4 } });
    expect(event?.members.content?.parts).toEqual([{ text: "Hmm.", thought: true }, { text: "It is so." }]);
  });

  it("has no part twice that an earlier run's events have", () => {
    const assembly = new ArtifactAssembly([{ id: "a", parts: 2 }]);
    const { artifact } = update([part("one "), part("two "), part("three")]);
    if (artifact === undefined) throw new Error("There is no artifact.");
    assembly.takeTask([artifact]);
    expect([...assembly.unseen()].map(({ members }) => members.content?.parts)).toEqual([[{ text: "three" }]]);
    expect([...assembly.flush()].map(({ members }) => members.content?.parts)).toEqual([[{ text: "three" }]]);
    expect([...assembly.flush()]).toEqual([]);
  });

  it("is what replaced its chunks", () => {
    const assembly = new ArtifactAssembly([]);
    assembly.take(update([part("dra")]));
    expect(assembly.take(update([part("final")], { append: false, lastChunk: true }))?.members.content?.parts).toEqual([
      { text: "final" },
    ]);
    expect([...assembly.flush()]).toEqual([]);
  });
});
