import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { type ChaosClient, endOf, errorOf } from "#test/chaos/chaos-client.ts";
import { parse } from "#test/chaos/checks/check-store.ts";
import type { Observation } from "#test/chaos/checks/recorder.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { RECOVERY_MS } from "#test/chaos/rig/rig-options.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import { GROUPS, type PlannedStep } from "#test/fixtures/chaos-agents/planned/groups.ts";

/** F23: runners that are lost in the middle of plans. */
export function planSuite(test: FaultTest): void {
  test("F23 plans whose runners are killed while a group of agents works end as they would have, and repeat no answer", async (episode) => {
    const ada = episode.client();
    const whole = await startPlan(episode, ada);
    for (const { until } of whole.steps) writeFileSync(until, "");
    await whole.reading;
    expect(endOf(whole.observation)).toBe("succeeded");

    const killed = await startPlan(episode, ada);
    const { observation } = killed;
    for (const [index, group] of GROUPS.entries()) {
      const step = killed.steps[index];
      await eventually(
        `all of ${group} work`,
        () => group.every((name) => callsOf(episode, observation)[name] === 1),
        RECOVERY_MS,
      );
      await eventually(`the answer of ${step?.say} is stored`, () => hasAnswered(observation, step), RECOVERY_MS);
      const runner = episode.runnerOf(observation.tag);
      await pauseFor(episode.random.between(0, 300));
      await episode.rig.kill("runner", runner);
      writeFileSync(step?.until ?? "", "");
      await episode.rig.restart("runner", runner);
    }
    await killed.reading;
    expect([endOf(observation), errorOf(observation)]).toEqual(["succeeded", undefined]);
    expect(await outcomeOf(episode, killed)).toEqual(await outcomeOf(episode, whole));
    // The agents whose work was cut off work once more; all other models are called as often as without a kill.
    const cutOff = GROUPS.flatMap((group, index) => group.filter((name) => name !== killed.steps[index]?.say));
    const expected = { ...callsOf(episode, whole.observation) };
    for (const name of cutOff) expected[name] = 2;
    expect(callsOf(episode, observation)).toEqual(expected);
    const { runs } = await episode.stored(observation.session);
    expect(runs).toMatchObject([{ status: "succeeded", attempts: 1 + GROUPS.length }]);
  });
}

interface StartedPlan {
  readonly observation: Observation;
  readonly reading: Promise<unknown>;
  readonly steps: readonly PlannedStep[];
}

async function startPlan(episode: Episode, ada: ChaosClient): Promise<StartedPlan> {
  const session = await ada.createSession("planned");
  const steps = GROUPS.map((group, index) => ({
    say: episode.random.pick<string>(group),
    until: `${episode.rig.logFile}-${session.id}-${index}`,
  }));
  const observation = await ada.background(session, steps);
  return { observation, reading: ada.follow(observation, 1), steps };
}

/** How often each model was called. */
function callsOf(episode: Episode, { tag }: Observation): Readonly<Record<string, number>> {
  const calls: Record<string, number> = {};
  for (const line of episode.logOf(tag)) {
    const name = / model:(\w+) /.exec(line)?.[1];
    if (name !== undefined) calls[name] = (calls[name] ?? 0) + 1;
  }
  return calls;
}

/** Readers get complete events once they are stored. */
function hasAnswered({ frames }: Observation, step: PlannedStep | undefined): boolean {
  return frames.some(
    (frame) => frame.kind === "event" && frame.event.author === step?.say && frame.event.partial !== true,
  );
}

/** Within each branch in their order: agents of one group may be stored in any order. */
async function outcomeOf(episode: Episode, { observation }: StartedPlan) {
  const { events, state } = await episode.stored(observation.session);
  const described = events.slice(1).map((event) => {
    const { author, branch = "", content } = parse(event);
    return { branch, what: `${author}: ${JSON.stringify(content)}` };
  });
  return { state, events: described.toSorted((a, b) => a.branch.localeCompare(b.branch)) };
}
