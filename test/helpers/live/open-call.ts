import { vi } from "vitest";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { RunConfig } from "#kit/core/context/run-config.ts";
import type { Event } from "#kit/events/event.ts";
import type { ScriptedConnection } from "#kit/testing/scripted-connection.ts";
import type { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { type AgentWorld, createAgentWorld } from "../worlds/agent-world.ts";

/** A live run in progress, whose model says what a test lets it say. */
export interface OpenCall {
  readonly world: AgentWorld;
  readonly queue: LiveRequestQueue;
  /** The events that the run's caller has. */
  readonly events: Event[];
  /** The numbers up to which requests were reported as settled. */
  readonly settled: number[];
  /** Resolves with the run's failure, or undefined. */
  readonly ended: Promise<unknown>;
  /** The model's newest connection. */
  readonly connection: () => ScriptedConnection;
  /** What the model was sent on all its connections. */
  readonly sent: () => readonly unknown[];
  readonly cancel: () => void;
}

export interface OpenCallOptions {
  readonly world?: Parameters<typeof createAgentWorld>[1];
  readonly runConfig?: Partial<RunConfig>;
}

/** Starts a live run of the agent, and resolves when the model is connected. */
export async function openCall(
  agent: BaseAgent,
  model: ScriptedModel,
  { world: options, runConfig = {} }: OpenCallOptions = {},
): Promise<OpenCall> {
  const world = await createAgentWorld(agent, options);
  const settled: number[] = [];
  const queue = new LiveRequestQueue({ onSettled: (n) => void settled.push(n) });
  const events: Event[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const run = world.runner.runLive({ userId: "ada", sessionId: "talk", liveRequestQueue: queue, runConfig, signal });
  const read = async (): Promise<unknown> => {
    try {
      for await (const event of run) events.push(event);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const ended = read();
  await eventually(() => {
    if (model.connections.length === 0) throw new Error("The model is not connected.");
  });
  return {
    world,
    queue,
    events,
    settled,
    ended,
    connection: () => {
      const newest = model.connections.at(-1);
      if (newest === undefined) throw new Error("The model is not connected.");
      return newest;
    },
    sent: () => model.connections.flatMap(({ sent }) => sent),
    cancel: () => controller.abort(),
  };
}

/** Repeats the check until it does not throw. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 10_000, interval: 5 });
}
