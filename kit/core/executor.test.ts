import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { ConcurrencyLimit } from "./executor.ts";

describe("ConcurrencyLimit", () => {
  it("runs so many at the same time, and the others in order of arrival", async () => {
    const limit = new ConcurrencyLimit(2);
    const log: string[] = [];
    const gates = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
    const works = gates.map(({ promise }, index) =>
      limit.execute(async () => {
        log.push(`start ${index}`);
        await promise;
        log.push(`end ${index}`);
        return index;
      }),
    );
    expect(log).toEqual(["start 0", "start 1"]);
    gates[1]?.resolve();
    await works[1];
    gates[0]?.resolve();
    gates[2]?.resolve();
    gates[3]?.resolve();
    expect(await Promise.all(works)).toEqual([0, 1, 2, 3]);
    expect(log.filter((line) => line.startsWith("start"))).toEqual(["start 0", "start 1", "start 2", "start 3"]);
    expect(log.indexOf("start 2")).toBeGreaterThan(log.indexOf("end 1"));
  });

  it("gives the slot of failed work to the next", async () => {
    const limit = new ConcurrencyLimit(1);
    const failed = limit.execute(async () => Promise.reject(new Error("broken")));
    const next = limit.execute(async () => "went on");
    await expect(failed).rejects.toThrow("broken");
    expect(await next).toBe("went on");
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a limit of %d", (limit) => {
    expect(() => new ConcurrencyLimit(limit)).toThrow(RangeError);
  });

  it("limits how many tools of an agent run at the same time", async () => {
    verifies("agents:llm:executor");
    let running = 0;
    const counts: number[] = [];
    const tool = new FunctionTool({
      name: "work",
      description: "Works.",
      execute: async () => {
        running += 1;
        counts.push(running);
        await Promise.resolve();
        running -= 1;
      },
    });
    const parts = Array.from({ length: 6 }, () => ({ functionCall: { name: "work", args: {} } }));
    const counted = async (executor?: ConcurrencyLimit): Promise<number> => {
      counts.length = 0;
      const model = new ScriptedModel([{ content: { role: "model", parts } }, "done"]);
      const agent = new LlmAgent({ name: "a", model, tools: [tool], ...(executor !== undefined && { executor }) });
      await (await createAgentWorld(agent)).run("go");
      expect(counts.length).toBe(6);
      return Math.max(...counts);
    };
    expect(await counted()).toBe(6);
    expect(await counted(new ConcurrencyLimit(2))).toBe(2);
  });
});
