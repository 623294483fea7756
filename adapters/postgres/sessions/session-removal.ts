import type { PostgresDatabase } from "../database/postgres-database.ts";

const EVENTS_OF_PAGE = 1_000;
const MAX_SESSIONS = 16;

/**
 * Removes the events that deleted sessions still have, in pages, so that no statement takes long. If the
 * process is killed meanwhile, the next call in any process removes the rest.
 */
export async function removeEvents(database: PostgresDatabase): Promise<void> {
  const found = await database.read<{ readonly sid: number }>(
    "SELECT sid FROM fairlead.removed_sessions ORDER BY sid DESC LIMIT $1",
    [MAX_SESSIONS],
  );
  for (const { sid } of found) {
    for (let removed = EVENTS_OF_PAGE; removed === EVENTS_OF_PAGE; ) {
      const [page] = await database.write<{ readonly count: number }>(
        `WITH page AS (
           DELETE FROM fairlead.events WHERE sid = $1 AND sequence IN (
             SELECT sequence FROM fairlead.events WHERE sid = $1 ORDER BY sequence LIMIT $2
           ) RETURNING 1
         ) SELECT count(*) AS count FROM page`,
        [sid, EVENTS_OF_PAGE],
      );
      removed = page?.count ?? 0;
    }
    // A page that another process removed at the same time can look like the last one.
    await database.write(
      `DELETE FROM fairlead.removed_sessions WHERE sid = $1
         AND NOT EXISTS (SELECT FROM fairlead.events WHERE events.sid = $1)`,
      [sid],
    );
  }
}
