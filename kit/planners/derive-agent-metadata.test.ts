import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { InstructionTemplates } from "#kit/core/instruction.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { deriveAgentMetadata } from "./derive-agent-metadata.ts";

const agent = (instruction: string, rest: object = {}) =>
  new LlmAgent({ name: "writer", instruction, outputKey: "draft", ...rest });

describe("deriveAgentMetadata", () => {
  it("reads the output key, and each key that the instruction cannot be filled without, once and in order", () => {
    verifies(
      "configuration:agent-metadata:agent-name",
      "configuration:agent-metadata:input-keys",
      "configuration:agent-metadata:output-key",
      "configuration:agent-metadata:output-name",
    );
    const instruction = "Write on {topic} for {user:name}, in the tone {app:tone?}. Use {facts} and again {topic}.";
    expect(deriveAgentMetadata(agent(instruction))).toEqual({
      agentName: "writer",
      inputKeys: ["topic", "user:name", "facts"],
      outputKey: "draft",
    });
  });

  it("finds no key in text that instructions leave as written", () => {
    const instruction = `\\{topic} \${topic} {"a": 1} {a.b} {} {not a name} {artifact.notes.md} {x?}`;
    expect(deriveAgentMetadata(agent(instruction)).inputKeys).toEqual([]);
  });

  it("finds no key if the agent fills no templates, or has no instruction", () => {
    const off = agent("About {topic}.", { instructionTemplates: InstructionTemplates.OFF });
    expect([off, agent("")].map((each) => deriveAgentMetadata(each).inputKeys)).toEqual([[], []]);
  });

  it.each([
    ["of another kind", new SequentialAgent({ name: "writer" }), 'its kind is "sequential"'],
    ["without an output key", agent("Write.", { outputKey: undefined }), "it has no outputKey"],
    ["with an empty output key", agent("Write.", { outputKey: "" }), "it has no outputKey"],
    ["with a function as instruction", agent("", { instruction: () => "Write." }), "its instruction is a function"],
  ])("refuses an agent %s", (_, given, cause) => {
    const declare = 'Declare it: { agentName: "writer", inputKeys: [], outputKey: "…" }.';
    expect(() => deriveAgentMetadata(given)).toThrow(
      expect.objectContaining({
        reason: "INVALID_FIELD",
        details: { field: "metadata" },
        message: expect.stringMatching(new RegExp(`^The metadata of agent "writer".*${cause}`)),
      }),
    );
    expect(() => deriveAgentMetadata(given)).toThrow(declare);
  });
});
