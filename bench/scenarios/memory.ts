import { Client, inParallel } from "../client.ts";
import { CONNECTIONS, type Figures, type MeasuredServer, TURNS_PER_SESSION } from "./scenario.ts";

const LOAD_SECONDS = 60;
const LOOK_EVERY_SECONDS = 10;
const DELETED_SESSIONS = 1000;

/** Resident memory while turns on new sessions, which stay, run as fast as they can. */
export async function memoryUnderLoad(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const figures: Record<string, number> = {};
  let turns = 0;
  let lookAt = LOOK_EVERY_SECONDS;
  await inParallel(CONNECTIONS, CONNECTIONS, async (user) => {
    for (let session = 0; seconds() < LOAD_SECONDS; session += 1) {
      const id = `load-${user}-${session}`;
      await client.createSession(id);
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) await client.run(id, "small=1");
      turns += TURNS_PER_SESSION;
      if (seconds() >= lookAt) {
        figures[`RSS MB after ${lookAt} s`] = server.residentMegabytes();
        lookAt += LOOK_EVERY_SECONDS;
      }
    }
  });
  return { ...figures, "turns/s": turns / LOAD_SECONDS };
}

/** Resident memory over turns whose sessions are deleted. */
export async function memoryOfDeleted(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const figures: Record<string, number> = {};
  for (let round = 0; round < 5; round += 1) {
    await inParallel(DELETED_SESSIONS, CONNECTIONS, async (index) => {
      const id = `memory-${round}-${index}`;
      await client.createSession(id);
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) await client.run(id, "small=1");
      await client.deleteSession(id);
    });
    const turns = (round + 1) * DELETED_SESSIONS * TURNS_PER_SESSION;
    figures[`RSS MB after ${turns} turns`] = server.residentMegabytes();
  }
  return figures;
}
