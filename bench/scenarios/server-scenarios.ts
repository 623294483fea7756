import { firstTurns } from "./first-turns.ts";
import { loneTurns } from "./lone-turns.ts";
import { longSessions } from "./long-sessions.ts";
import { memoryOfDeleted, memoryUnderLoad } from "./memory.ts";
import { pacedStreams } from "./paced-streams.ts";
import type { Scenario } from "./scenario.ts";
import { shortTurns } from "./short-turns.ts";
import { streams } from "./streams.ts";

/** What one server is measured by, beside its peers. */
export const SERVER_SCENARIOS: readonly Scenario[] = [
  {
    name: "ready after start",
    startsPerRound: 5,
    measure: async (server) => ({ "ready ms": server.readyMs, "RSS MB": server.residentMegabytes() }),
  },
  { name: "first turns after start", startsPerRound: 5, measure: firstTurns },
  { name: "/run, 50 connections", measure: shortTurns },
  { name: "/run, 1 connection", measure: loneTurns },
  { name: "/run_sse, 50 connections, 100 chunks", measure: streams },
  { name: "/run_sse, 50 paced streams", measure: pacedStreams(50) },
  { name: "/run_sse, 50 paced streams of 200 chunks", measure: pacedStreams(200) },
  { name: "a turn on a long session", measure: longSessions },
  { name: "memory, 60 s of turns on new sessions", measure: memoryUnderLoad },
  { name: "memory, sessions deleted", measure: memoryOfDeleted },
];
