import { Cron } from "croner";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { dateOf, utcTime } from "#kit/platform/iso-time.ts";

/** When a schedule ticks: at the times of a cron expression in a time zone, or once. Instants are milliseconds since the epoch. */
export type Timing =
  | { readonly kind: "cron"; readonly cron: string; readonly timeZone: string }
  | { readonly kind: "at"; readonly atMs: number };

const MAX_CRON_LENGTH = 100;
/** So many ticks are looked at for the shortest pause between two. */
const CHECKED_TICKS = 50;
/** No zone changes its clocks by more within a day, but for one that crosses the date line, which skips a whole day. */
const MAX_CHANGE_MS = 26 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

/** The first tick after this instant; undefined if there is none. */
export function nextTick(timing: Timing, afterMs: number): number | undefined {
  if (timing.kind === "at") return timing.atMs > afterMs ? timing.atMs : undefined;
  const cron = cronOf(timing);
  if (isByTheClock(timing)) return cron.nextRun(dateOf(afterMs))?.getTime();
  const zone = zoneOf(timing.timeZone);
  for (let wall = zone.wallOf(afterMs) - zone.changeNear(afterMs); ; ) {
    const next = cron.nextRun(dateOf(wall))?.getTime();
    if (next === undefined) return undefined;
    const instant = zone.instantOf(next);
    if (instant > afterMs) return instant;
    wall = next;
  }
}

/** The newest ticks from one instant to another, both included, oldest first. */
export function ticksBetween(timing: Timing, fromMs: number, toMs: number, limit: number): readonly number[] {
  if (timing.kind === "at") return timing.atMs >= fromMs && timing.atMs <= toMs ? [timing.atMs] : [];
  const cron = cronOf(timing);
  const isWall = !isByTheClock(timing);
  const zone = zoneOf(timing.timeZone);
  const found: number[] = [];
  let before = isWall ? zone.wallOf(toMs) + 1 + zone.changeNear(toMs) : toMs + 1;
  while (found.length < limit) {
    const last = cron.previousRuns(1, dateOf(before))[0]?.getTime();
    if (last === undefined) break;
    before = last;
    const instant = isWall ? zone.instantOf(last) : last;
    if (instant < fromMs) break;
    if (instant <= toMs && instant !== found[0]) found.unshift(instant);
  }
  return found;
}

/** Throws `INVALID_FIELD` for a timing that cannot tick, or ticks more often than every `minIntervalMs`. */
export function assertTiming(timing: Timing, nowMs: number, minIntervalMs: number): void {
  if (timing.kind === "at") {
    if (timing.atMs > nowMs) return;
    throw invalid("at", "`at` is in the past: name a time to come.");
  }
  const ticks: number[] = [];
  assertTimeZone(timing.timeZone);
  assertCron(timing.cron);
  for (let after = nowMs; ticks.length < CHECKED_TICKS; ) {
    const next = nextTick(timing, after);
    if (next === undefined) break;
    ticks.push(next);
    after = next;
  }
  if (ticks.length === 0) throw invalid("cron", "`cron` names no time to come.");
  const shortest = Math.min(...ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0)));
  if (shortest >= minIntervalMs) return;
  throw invalid(
    "cron",
    `\`cron\` ticks every ${shortest / 1000} s, and this server allows one tick in ${minIntervalMs / 1000} s (SCHEDULE_MIN_SECONDS).`,
  );
}

function assertCron(cron: string): void {
  const example = 'Give five fields, such as "0 9 * * MON-FRI".';
  if (cron.length > MAX_CRON_LENGTH)
    throw invalid("cron", `\`cron\` is over ${MAX_CRON_LENGTH} characters. ${example}`);
  try {
    new Cron(cron, { paused: true, mode: "5-part" });
  } catch (error) {
    const problem = error instanceof Error ? error.message.replace(/^CronPattern: /, "").replace(/\.$/, "") : "";
    throw invalid("cron", `\`cron\` is not a cron expression: ${problem}. ${example}`);
  }
}

function assertTimeZone(timeZone: string): void {
  try {
    if (timeZone.length <= MAX_CRON_LENGTH && new Intl.DateTimeFormat("en-US", { timeZone })) return;
  } catch {
    // Answered below.
  }
  throw invalid("timeZone", "`timeZone` is not a time zone of the IANA database, such as Europe/Berlin.");
}

function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}

/**
 * Whether the expression means every hour, or every few: then its ticks follow real time when clocks are changed. Others
 * name hours of the day, and tick once for each, whatever the clocks do.
 */
function isByTheClock({ cron }: { readonly cron: string }): boolean {
  const hours = cron.trim().split(/\s+/)[1];
  return hours === undefined ? cron.trim() === "@hourly" : hours.startsWith("*");
}

/** For hours of the day the expression is read in a zone without changes: its times are what a clock on the wall shows. */
function cronOf(timing: Timing & { readonly kind: "cron" }): Cron {
  const timezone = isByTheClock(timing) ? timing.timeZone : "UTC";
  return new Cron(timing.cron, { paused: true, mode: "5-part", timezone });
}

interface Zone {
  /** By how much the order of times on the wall can differ from the order of instants here: not at all on most days. */
  changeNear(instantMs: number): number;
  /** The time on a clock on the wall at the instant, as if it were UTC. */
  wallOf(instantMs: number): number;
  /**
   * When the clock shows this: the first time of two, and the end of the skipped hour for a time in it. Never earlier for
   * a later time.
   */
  instantOf(wallMs: number): number;
}

/** The formats of a zone take longer to make than a tick to find. */
const ZONES = new Map<string, Zone>();
const MAX_ZONES = 100;

function zoneOf(timeZone: string): Zone {
  const known = ZONES.get(timeZone);
  if (known !== undefined) return known;
  if (ZONES.size >= MAX_ZONES) ZONES.clear();
  const zone = createZone(timeZone);
  ZONES.set(timeZone, zone);
  return zone;
}

function createZone(timeZone: string): Zone {
  const numeric = "numeric" as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  const format = new Intl.DateTimeFormat("en-US", { ...parts, timeZone, hourCycle: "h23", calendar: "iso8601" });
  const wallOf = (instantMs: number): number => {
    const of = Object.fromEntries(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = of;
    return utcTime({ year, month, day, hour, minute, second });
  };
  const offsetAt = (instantMs: number): number => wallOf(instantMs) - Math.floor(instantMs / 1000) * 1000;
  const changeNear = (instantMs: number): number =>
    offsetAt(instantMs - MAX_CHANGE_MS) === offsetAt(instantMs + MAX_CHANGE_MS) ? 0 : MAX_CHANGE_MS;
  const instantOf = (wallMs: number): number => {
    const offsets = [-MAX_CHANGE_MS, MAX_CHANGE_MS].map((way) => offsetAt(wallMs + way));
    const instants = offsets.map((offset) => wallMs - offset).toSorted((one, other) => one - other);
    const [first = wallMs, last = wallMs] = instants;
    const shown = instants.find((instant) => wallOf(instant) === wallMs);
    if (shown !== undefined) return shown;
    let [before, after] = [first, last];
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
      if (wallOf(middle) < wallMs) before = middle;
      else after = middle;
    }
    return after;
  };
  return { changeNear, wallOf, instantOf };
}
