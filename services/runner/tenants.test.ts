import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { createRunnerService } from "./create-runner-service.ts";

const ACME = { ...KEY, tenantId: "acme" };
type World = Awaited<ReturnType<typeof createRunnerWorld>>;

function starter({ service }: Pick<World, "service">) {
  return (session: typeof KEY, text: string, runId = "run") =>
    service.startRun({ runId, session, request: { newMessage: userContent(text), autoCreateSession: true } });
}

async function endOf({ runStream }: World, runId: string, tenantId?: string): Promise<string> {
  const batches = runStream.subscribe(runId, { ...inTenant(tenantId), signal: AbortSignal.timeout(5000) });
  const last = (await Array.fromAsync(batches)).flat().at(-1);
  return last?.kind === "end" ? last.status : "no end";
}

async function textsOf({ store }: World, session: typeof KEY): Promise<readonly (string | undefined)[]> {
  const events = (await store.getSession(session))?.events ?? [];
  return events.map(({ content, errorCode }) => content?.parts?.[0]?.text ?? errorCode);
}

describe("runs of two tenants with one id, in sessions of the same names", () => {
  it("execute at the same time, each with its own history, and one is cancelled without the other", async () => {
    const [first, second] = [heldStep("one"), heldStep("two")];
    const world = await createRunnerWorld([first.step, second.step, "three"]);
    const start = starter(world);
    await start(KEY, "of default");
    await first.begun;
    expect((await start(ACME, "of acme")).session).toEqual(ACME);
    await second.begun;
    await world.service.cancelRun("run", "acme");
    expect(await endOf(world, "run", "acme")).toBe("cancelled");
    expect((await world.store.get("run"))?.status).toBe("running");
    await expect(world.service.cancelRun("run", "globex")).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
    first.release();
    expect(await endOf(world, "run")).toBe("succeeded");
    expect(await textsOf(world, KEY)).toEqual(["of default", "one"]);

    await start(ACME, "again", "next");
    expect(await endOf(world, "next", "acme")).toBe("succeeded");
    const prompt = JSON.stringify(world.model.requests.at(-1)?.contents);
    expect([prompt.includes("of acme"), prompt.includes("of default"), prompt.includes("one")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("wait for their own session only, and a repeated start returns the run of its tenant", async () => {
    const held = heldStep("one");
    const world = await createRunnerWorld([held.step, "two", "three"]);
    const start = starter(world);
    await start(KEY, "a");
    await held.begun;
    const other = await start(ACME, "b");
    expect(other.status).toBe("running");
    expect(await endOf(world, "run", "acme")).toBe("succeeded");
    expect((await start(KEY, "a")).session).toEqual(KEY);
    held.release();
    expect(await endOf(world, "run")).toBe("succeeded");
    expect([await textsOf(world, KEY), await textsOf(world, ACME)]).toEqual([
      ["a", "one"],
      ["b", "two"],
    ]);
  });

  it("are cancelled by other runners with their tenant", async () => {
    const [first, second] = [heldStep("one"), heldStep("two")];
    const world = await createRunnerWorld([first.step, second.step], {
      runNotifications: new InMemoryRunNotifications(),
    });
    const there = createRunnerService({ ...world.deps, holder: "there" });
    const start = starter(world);
    await start(KEY, "a");
    await first.begun;
    await start(ACME, "b");
    await second.begun;
    await there.cancelRun("run", "acme");
    expect(await endOf(world, "run", "acme")).toBe("cancelled");
    expect((await world.store.get("run"))?.cancelRequested).toBe(false);
    first.release();
    expect(await endOf(world, "run")).toBe("succeeded");
  });

  it("are rolled back by a newer message with the policy rollback, in the newer message's tenant", async () => {
    const held = heldStep("never");
    const world = await createRunnerWorld([held.step, "two"]);
    await world.store.createSession(ACME);
    const start = starter(world);
    await start(ACME, "a");
    await held.begun;
    const next = {
      runId: "next",
      session: ACME,
      request: { newMessage: userContent("b") },
      policy: "rollback",
    } as const;
    await world.service.startRun(next);
    expect(await endOf(world, "next", "acme")).toBe("succeeded");
    const events = (await world.store.getSession(ACME))?.events ?? [];
    expect(events.filter(({ actions }) => actions.rewindBeforeInvocationId !== undefined)).toHaveLength(1);
    const prompt = JSON.stringify(world.model.requests.at(-1)?.contents);
    expect([prompt.includes('"a"'), prompt.includes('"b"')]).toEqual([false, true]);
  });

  it("have limits of users and apps of their own", async () => {
    const [first, second] = [heldStep("one"), heldStep("two")];
    const { config } = (await createRunnerWorld([])).deps;
    const limits = { ...config, MAX_PROCESS_RUNS_PER_USER: 1, MAX_CONCURRENT_RUNS_PER_APP: 1 };
    const world = await createRunnerWorld([first.step, second.step], { config: limits });
    const start = starter(world);
    await start(KEY, "a");
    await expect(start({ ...KEY, id: "more" }, "b", "more")).rejects.toMatchObject({ reason: "RUNNER_BUSY" });
    expect((await start(ACME, "c")).status).toBe("running");
    for (const { release } of [first, second]) release();
    expect([await endOf(world, "run"), await endOf(world, "run", "acme")]).toEqual(["succeeded", "succeeded"]);
  });
});
