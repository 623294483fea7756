import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { type Content, modelContent } from "#kit/events/content.ts";
import { functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { run, ScriptedPlanner } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { CutWorld } from "#test/helpers/worlds/cut-runs.ts";
import { speaker, thinking } from "#test/helpers/worlds/resume-scenarios.ts";

describe("an answer to a waiting run", () => {
  const answer = (id: string, text: string): Content => ({
    role: "user",
    parts: [{ functionResponse: { id, name: "ask", response: { text } } }],
  });
  const ask = (): BaseTool =>
    new LongRunningFunctionTool({ name: "ask", description: "Asks.", execute: () => undefined });
  const asker = (name: string): LlmAgent =>
    new LlmAgent({
      name,
      tools: [ask()],
      model: thinking((request) => {
        const given = request.contents
          .flatMap(({ parts = [] }) => parts)
          .find(({ functionResponse }) => functionResponse?.id === `${name}-call`);
        const { text } = given?.functionResponse?.response ?? {};
        return text === undefined ? functionCallResponse("ask", {}, `${name}-call`) : `${name} heard ${String(text)}`;
      }),
    });

  it("resumes in the middle of a sequence, whose later agents wait for it", async () => {
    verifies("agents:resume:waiting");
    const world = new CutWorld(
      () => new SequentialAgent({ name: "row", subAgents: [speaker("a"), asker("b"), speaker("c")] }),
    );
    await world.run("go");
    expect((await world.record())?.status).toBe("awaiting_input");
    expect((await world.events()).map(brief)).toEqual(["user: go", "a: a speaks", "b: ask({})"]);
    await world.run(answer("b-call", "yes"));
    expect((await world.record())?.status).toBe("succeeded");
    const events = await world.events();
    expect(events.slice(3).map(brief)).toEqual(['user: ask -> {"text":"yes"}', "b: b heard yes", "c: c speaks"]);
    expect(new Set(events.map(({ invocationId }) => invocationId)).size).toBe(1);
  });

  it("is what later agents wait for, even if the tool has given a first notice and its agent has reported it", async () => {
    verifies("agents:resume:waiting");
    const notice = new LongRunningFunctionTool({
      name: "ask",
      description: "Asks.",
      execute: () => ({ status: "pending" }),
    });
    const clerk = (): LlmAgent =>
      new LlmAgent({
        name: "clerk",
        tools: [notice],
        model: thinking((request) => {
          const { functionResponse, text } = request.contents.at(-1)?.parts?.[0] ?? {};
          if (functionResponse !== undefined) return `clerk has ${JSON.stringify(functionResponse.response)}`;
          const news = text?.split("now answers: ")[1];
          return news === undefined ? functionCallResponse("ask", {}, "clerk-call") : `clerk has ${news}`;
        }),
      });
    const world = new CutWorld(() => new SequentialAgent({ name: "row", subAgents: [clerk(), speaker("c")] }));
    await world.run("go");
    expect((await world.events()).at(-1)).toMatchObject({
      author: "clerk",
      content: modelContent('clerk has {"status":"pending"}'),
    });
    await world.run(answer("clerk-call", "yes"));
    expect((await world.events()).slice(-2).map(brief)).toEqual(['clerk: clerk has {"text":"yes"}', "c: c speaks"]);
  });

  it("resumes in the pass of a loop that waits, and in its branch of a parallel team", async () => {
    const loop = new CutWorld(
      () => new LoopAgent({ name: "round", maxIterations: 2, subAgents: [speaker("a"), asker("b")] }),
    );
    await loop.run("go");
    await loop.run(answer("b-call", "yes"));
    expect((await loop.events()).slice(2).map(brief)).toEqual([
      "b: ask({})",
      'user: ask -> {"text":"yes"}',
      "b: b heard yes",
      "a: a speaks",
      "b: b heard yes",
    ]);

    const team = new CutWorld(
      () =>
        new SequentialAgent({
          name: "all",
          subAgents: [new ParallelAgent({ name: "team", subAgents: [asker("a"), asker("b")] }), speaker("c")],
        }),
    );
    await team.run("go");
    await team.run(answer("b-call", "no"));
    expect((await team.record())?.status).toBe("awaiting_input");
    await team.run(answer("a-call", "yes"));
    expect((await team.events()).map((event) => `${event.branch ?? ""} ${brief(event)}`)).toEqual([
      " user: go",
      "team.a a: ask({})",
      "team.b b: ask({})",
      ' user: ask -> {"text":"no"}',
      "team.b b: b heard no",
      ' user: ask -> {"text":"yes"}',
      "team.a a: a heard yes",
      " c: c speaks",
    ]);
  });

  it("resumes in the step of a plan that waits, after which the planner is asked again", async () => {
    verifies("agents:resume:waiting");
    const plan = (): PlannerAgent =>
      new PlannerAgent({
        name: "desk",
        planner: new ScriptedPlanner(run("c"), run("a", "b"), run("a", "c"), run("b")),
        subAgents: [asker("a"), asker("b"), speaker("c")],
      });
    for (const cut of [undefined, 1, 2, 3]) {
      const world = new CutWorld(plan);
      await world.run("go");
      await world.run(answer("b-call", "no"));
      expect((await world.record())?.status).toBe("awaiting_input");
      await world.run(answer("a-call", "yes"), cut === undefined ? [] : [{ write: cut, when: "after" }]);
      expect((await world.record())?.status).toBe("succeeded");
      const events = (await world.events()).map((event) => `${event.branch ?? ""} ${brief(event)}`);
      expect(events.slice(0, 7)).toEqual([
        " user: go",
        " c: c speaks",
        "desk.a a: ask({})",
        "desk.b b: ask({})",
        ' user: ask -> {"text":"no"}',
        "desk.b b: b heard no",
        ' user: ask -> {"text":"yes"}',
      ]);
      expect(events.slice(7).toSorted()).toEqual([
        " b: b heard no",
        "desk.a a: a heard yes",
        "desk.a a: a heard yes",
        "desk.c c: c speaks",
      ]);
    }
  });

  it("resumes behind a transfer, also when it is cut off itself", async () => {
    for (const cut of [undefined, 1, 2]) {
      const world = new CutWorld(
        () =>
          new LlmAgent({
            name: "desk",
            model: thinking(() => functionCallResponse("transfer_to_agent", { agent_name: "clerk" })),
            subAgents: [asker("clerk")],
          }),
      );
      await world.run("go");
      await world.run(answer("clerk-call", "yes"), cut === undefined ? [] : [{ write: cut, when: "after" }]);
      expect((await world.events()).slice(3).map(brief)).toEqual([
        "clerk: ask({})",
        'user: ask -> {"text":"yes"}',
        "clerk: clerk heard yes",
      ]);
    }
  });

  it("resumes in a sequence that a model has transferred to, and continues with what is behind", async () => {
    const world = new CutWorld(
      () =>
        new LlmAgent({
          name: "desk",
          model: thinking(() => functionCallResponse("transfer_to_agent", { agent_name: "row" })),
          subAgents: [new SequentialAgent({ name: "row", subAgents: [speaker("a"), asker("b"), speaker("c")] })],
        }),
    );
    await world.run("go");
    await world.run(answer("b-call", "yes"), [{ write: 2, when: "before" }]);
    expect((await world.events()).slice(3).map(brief)).toEqual([
      "a: a speaks",
      "b: ask({})",
      'user: ask -> {"text":"yes"}',
      "b: b heard yes",
      "c: c speaks",
    ]);
  });

  it("may be a confirmation, and both runs may be cut off anywhere", async () => {
    const outcomes = new Set<string>();
    for (let write = 1; write <= 5; write += 1) {
      for (const when of ["before", "after"] as const) {
        const deleted: string[] = [];
        const createAgent = (): LlmAgent =>
          new LlmAgent({
            name: "keeper",
            model: thinking((request) =>
              request.contents.length < 2 ? functionCallResponse("remove", { file: "a" }) : "it is gone",
            ),
            tools: [
              new FunctionTool({
                name: "remove",
                description: "Removes a file.",
                parameters: { type: "object", properties: { file: { type: "string" } } },
                requireConfirmation: true,
                idempotent: true,
                execute: ({ file }) => {
                  deleted.push(String(file));
                },
              }),
            ],
          });
        const world = new CutWorld(
          () => new SequentialAgent({ name: "row", subAgents: [createAgent(), speaker("after")] }),
        );
        await world.run("go", [{ write, when }]);
        const questions = (await world.events()).filter((event) =>
          functionCalls(event).some(({ name }) => name === "adk_request_confirmation"),
        );
        expect(questions).toHaveLength(1);
        expect(deleted).toEqual([]);
        const [question] = questions.flatMap(functionCalls);
        const id = question?.id ?? "";
        const confirmed = { functionResponse: { id, name: question?.name ?? "", response: { confirmed: true } } };
        await world.run({ role: "user", parts: [confirmed] }, [{ write, when }]);
        expect(new Set(deleted)).toEqual(new Set(["a"]));
        outcomes.add(JSON.stringify((await world.events()).slice(-4).map(brief)));
      }
    }
    expect([...outcomes].map((outcome) => JSON.parse(outcome))).toEqual([
      [
        'user: adk_request_confirmation -> {"confirmed":true}',
        'keeper: remove -> {"result":null}',
        "keeper: it is gone",
        "after: after speaks",
      ],
    ]);
  });
});
