import type { BaseLlm } from "#kit/models/base-llm.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import list from "./shutdowns.json" with { type: "json" };

/** The announced end of a provider's model. */
export interface ModelShutdown {
  readonly model: string;
  /** As in `gen_ai.provider.name`. Other providers of the same model have dates of their own. */
  readonly provider: string;
  /** An ISO date. */
  readonly shutdown: string;
  /** The model that the provider recommends, or its newest one of that size. */
  readonly successor: string;
}

/** The shutdowns that providers had announced on `SHUTDOWNS_READ`, from the pages that the file names. */
export const MODEL_SHUTDOWNS: readonly ModelShutdown[] = list.shutdowns;

/** The ISO date of the list. */
export const SHUTDOWNS_READ = list.read;

/** A snapshot has a date or a number behind its model's name: `2025-08-07`, `20250514`, `001`. */
const SNAPSHOT = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest)$/;

/**
 * One sentence for each of the models that is shut down or will be; it names the date and the successor. Models that ask
 * others are looked into. `now` is in milliseconds since the epoch.
 *
 * @example
 * shutdownWarnings([new Claude({ model: "claude-old" })], clock.now()); // ["The model claude-old is shut down on …"]
 */
export function shutdownWarnings(models: readonly BaseLlm[], now: number): readonly string[] {
  return [...new Set(announcedShutdowns(models, now).map(({ warning }) => warning))];
}

/** A model that is shut down or will be. */
export interface AnnouncedShutdown {
  readonly model: string;
  readonly successor: string;
  readonly isOver: boolean;
  readonly warning: string;
}

/** The shutdowns of models, and of those that they ask. `now` is in milliseconds since the epoch. */
export function announcedShutdowns(models: readonly BaseLlm[], now: number): readonly AnnouncedShutdown[] {
  return models.flatMap(askedModels).flatMap((each) => {
    const found = shutdownOf(each);
    if (found === undefined) return [];
    const { shutdown, successor } = found;
    const isOver = (fromIsoTime(shutdown) ?? 0) <= now;
    const warning = `The model ${each.model} ${isOver ? "was" : "is"} shut down on ${shutdown}: use ${successor}.`;
    return [{ model: each.model, successor, isOver, warning }];
  });
}

function shutdownOf({ model, providerName }: BaseLlm): ModelShutdown | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(SNAPSHOT, "");
  return MODEL_SHUTDOWNS.find((entry) => entry.model === name && entry.provider === providerName);
}

function askedModels(model: BaseLlm): readonly BaseLlm[] {
  if (model.mapModels === undefined) return [model];
  const asked: BaseLlm[] = [];
  model.mapModels((each) => {
    asked.push(...askedModels(each));
    return each;
  });
  return asked;
}
