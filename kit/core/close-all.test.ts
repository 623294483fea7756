import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { closeAll } from "./close-all.ts";

describe("closing", () => {
  it("closes all, and throws the first failure afterwards", async () => {
    const closed: string[] = [];
    const closable = (name: string, error?: Error) => ({
      close: async (): Promise<void> => {
        await Promise.resolve();
        closed.push(name);
        if (error !== undefined) throw error;
      },
    });
    const all = closeAll([closable("a"), closable("b", new Error("first")), closable("c", new Error("second"))]);
    await expect(all).rejects.toThrow("first");
    expect(closed).toEqual(["a", "b", "c"]);
    await expect(closeAll([closable("d")])).resolves.toBeUndefined();
  });

  it("reaches the tools of agents deep in the tree, also behind one that fails", async () => {
    verifies("agents:base:close");
    const closed: string[] = [];
    class Closing extends FunctionTool {
      override async close(): Promise<void> {
        closed.push(this.name);
        if (this.name === "bad") throw new Error("stuck");
      }
    }
    const tool = (name: string) => new Closing({ name, description: "Closes.", execute: () => undefined });
    const deep = new LlmAgent({ name: "deep", tools: [tool("bad"), tool("good")] });
    const root = new LlmAgent({
      name: "root",
      tools: [tool("own")],
      subAgents: [new SequentialAgent({ name: "row", subAgents: [deep] })],
    });
    await expect(root.close()).rejects.toThrow("stuck");
    expect(closed.toSorted()).toEqual(["bad", "good", "own"]);
  });
});
