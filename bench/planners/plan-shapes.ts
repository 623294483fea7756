import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";

/** Agents `agent0` to `agentN`; the last one writes the goal. */
export interface PlanShape {
  readonly name: string;
  readonly metadata: readonly AgentMetadata[];
  readonly goal: string;
}

/** Shapes of one number of agents; all agents are needed for the goal. */
export function planShapes(agents: number): readonly PlanShape[] {
  const width = Math.ceil(Math.sqrt(agents));
  const last = agents - 1;
  const shapes: readonly (readonly [string, (index: number) => readonly number[]])[] = [
    ["chain", (index) => (index === 0 ? [] : [index - 1])],
    ["wide", (index) => (index === last ? upTo(last) : [])],
    ["layers", (index) => (index === last ? upTo(last) : upTo(width).map((key) => layerBefore(index, width) + key))],
    ["dense", (index) => upTo(index)],
  ];
  return shapes
    .filter(([name]) => name !== "dense" || agents <= MOST_DENSE)
    .map(([name, inputsOf]) => ({
      name: `${name} of ${agents}`,
      goal: `key${last}`,
      metadata: Array.from({ length: agents }, (_, index) => ({
        agentName: `agent${index}`,
        inputKeys: inputsOf(index)
          .filter((key) => key >= 0)
          .map((key) => `key${key}`),
        outputKey: `key${index}`,
      })),
    }));
}

/** A dense graph of 10,000 agents would have 50 million inputs. */
const MOST_DENSE = 1000;

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The first index of the layer before; negative in the first layer. */
function layerBefore(index: number, width: number): number {
  return (Math.floor(index / width) - 1) * width;
}
