import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { Client, inParallel } from "../client.ts";
import { measureInTurn } from "../measure-in-turn.ts";
import { printFigures } from "../print-figures.ts";
import { costOf } from "../scenarios/cost-of.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";
import { ownServer } from "../servers/own-server.ts";
import { engineMicros } from "./engine-micros.ts";
import { CASES, evalSet, METRICS, SET_ID, WORDS } from "./eval-set.ts";

/** As many as the cases that the server runs at the same time. */
const CONNECTIONS = 4;
const WARM_UP_TURNS = 500;
const WARM_UP_CASES = 100;

const RUN = `/apps/bench/eval-sets/${SET_ID}/run-eval`;

/** What a case of an evaluation on a server costs, beside a turn of `/run` of the same agent on the same server. */
export async function benchEvaluation({ rounds }: BenchOptions): Promise<void> {
  process.stdout.write(`\nevaluation, ${CASES} cases, 5 samples\n`);
  await inDataDir(async (dataDir) => {
    const command = ownServer(dataDir, { EVAL_JUDGE_MODELS: "bench/judge" });
    const figures = await measureInTurn([{ name: "own", command }], { measure }, rounds);
    printFigures(figures.get("own") ?? {});
  });
}

async function measure(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  await client.send("POST", "/apps/bench/eval-sets", { evalSet: evalSet() });
  const turns = async (name: string, count: number): Promise<void> => {
    // One turn on each session, as in an evaluation.
    await inParallel(count, CONNECTIONS, async (index) => {
      await client.createSession(`${name}-${index}`);
      await client.run(`${name}-${index}`, WORDS);
    });
  };
  const cases = async (count: number): Promise<void> => {
    const { evalCases } = evalSet();
    const evalIds = evalCases.slice(0, count).map(({ evalId }) => evalId);
    const chunks: Buffer[] = [];
    await client.send("POST", RUN, { evalIds, evalMetrics: METRICS }, (chunk) => chunks.push(chunk));
    assertPassed(Buffer.concat(chunks).toString(), count);
  };
  await turns("warm", WARM_UP_TURNS);
  await cases(WARM_UP_CASES);
  const plain = await costOf(server, () => turns("plain", CASES));
  const evaluated = await costOf(server, () => cases(CASES));
  const turnMicros = plain.cpuMicros / CASES;
  const caseMicros = evaluated.cpuMicros / CASES;
  const engine = await engineMicros();
  return {
    "cases/s": CASES / evaluated.seconds,
    "CPU µs/case": caseMicros,
    "of it the run: CPU µs/turn": turnMicros,
    "of it the engine: CPU µs": engine,
    "engine %": (engine / caseMicros) * 100,
    "job, answers and results %": ((caseMicros - turnMicros - engine) / caseMicros) * 100,
  };
}

/** Throws if a case was not judged: the figures would be of something else. */
function assertPassed(answer: string, count: number): void {
  // The route's answer.
  const { runEvalResults } = JSON.parse(answer) as { runEvalResults: readonly { readonly finalEvalStatus: number }[] };
  const passed = runEvalResults.filter(({ finalEvalStatus }) => finalEvalStatus === 1).length;
  if (passed !== count) throw new Error(`${passed} of ${count} cases passed: ${answer.slice(0, 1000)}`);
}
