import { describe, expect, it } from "vitest";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";

const WRITER: AgentMetadata = { agentName: "writer", inputKeys: ["facts", "topic", "facts"], outputKey: "draft" };

describe("GoalOrientedSearchGraph", () => {
  const graph = new GoalOrientedSearchGraph([WRITER, { agentName: "researcher", inputKeys: [], outputKey: "facts" }]);

  it("contains the keys that agents write, and no key that they only read", () => {
    verifies("planners:graph:contains");
    expect(["draft", "facts", "topic", "toString"].map((key) => graph.contains(key))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("gives the keys that a key's producer reads, each once; none for a key without a producer", () => {
    verifies("planners:graph:get-dependencies");
    expect(["draft", "facts", "topic"].map((key) => graph.getDependencies(key))).toEqual([["facts", "topic"], [], []]);
  });

  it("gives the agent that writes a key, and undefined for a key without a producer", () => {
    verifies("planners:graph:get-producer-agent");
    expect(["draft", "topic"].map((key) => graph.getProducerAgent(key))).toEqual(["writer", undefined]);
  });

  it("gives keys and agents in the order in which the agents were given", () => {
    expect([...graph.producers()]).toEqual([
      ["draft", "writer"],
      ["facts", "researcher"],
    ]);
  });

  it.each([
    [
      "two agents that write one key",
      [WRITER, { ...WRITER, agentName: "poet" }],
      'metadata[1]: agents "writer" and "poet" both write the key "draft": give each an output key of its own.',
    ],
    [
      "an agent that is described twice",
      [WRITER, { ...WRITER, outputKey: "poem" }],
      'metadata[1]: agent "writer" is described twice, with the output keys "draft" and "poem": an agent has one.',
    ],
    [
      "an entry without a name",
      [{ ...WRITER, agentName: "" }],
      "metadata[0]: give { agentName, inputKeys, outputKey }",
    ],
    ["an entry without an output key", [{ ...WRITER, outputKey: undefined }], "metadata[0]: give {"],
    ["inputs that are not a list", [{ ...WRITER, inputKeys: "facts" }], "metadata[0]: give {"],
    ["an empty input key", [WRITER, { ...WRITER, agentName: "poet", inputKeys: [""] }], "metadata[1]: give {"],
    ["an entry that is not an object", [null], "metadata[0]: give {"],
    ["no list", "writer", "metadata: give a list of"],
  ])("refuses %s", (_, metadata, message) => {
    // Plain JavaScript can pass anything.
    expect(() => new GoalOrientedSearchGraph(metadata as readonly AgentMetadata[])).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", message: expect.stringContaining(message) }),
    );
  });
});
