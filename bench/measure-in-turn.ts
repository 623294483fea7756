import { mediansOf } from "./medians-of.ts";
import type { Figures, Scenario } from "./scenarios/scenario.ts";
import type { Contender } from "./servers/contender.ts";
import { ServerProcess } from "./servers/server-process.ts";

/**
 * Medians over the rounds, by contender. In each round all are measured after each other, so that other load of the
 * machine affects all. A contender that fails is left out from there on, with a message; the first one must not fail.
 */
export async function measureInTurn(
  contenders: readonly Contender[],
  { measure, startsPerRound = 1 }: Omit<Scenario, "name">,
  rounds: number,
): Promise<ReadonlyMap<string, Figures>> {
  const measured = new Map(contenders.map(({ name }): [string, Figures[]] => [name, []]));
  for (let start = 0; start < rounds * startsPerRound; start += 1) {
    for (const { name, command } of contenders) {
      try {
        const figures = measured.get(name);
        if (figures === undefined) continue;
        await using server = await ServerProcess.start(command);
        figures.push(await measure(server));
      } catch (error) {
        if (name === contenders[0]?.name) throw error;
        process.stdout.write(`  ${name} did not finish: ${error instanceof Error ? error.message : error}\n`);
        measured.delete(name);
      }
    }
  }
  return new Map([...measured].map(([name, figures]) => [name, mediansOf(figures)]));
}
