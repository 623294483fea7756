import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { WatchedFile } from "#shared/security/watched-file.ts";
import type { GatewayDeps } from "../deps.ts";

/** What the file may say of an app. The other members follow from what the server does. */
const MEMBERS = [
  ...["name", "description", "provider", "version", "documentationUrl", "iconUrl"],
  ...["defaultInputModes", "defaultOutputModes", "skills"],
];

/** The members of cards that A2A_CARDS_FILE gives, by app. A changed file is read within a second. */
export type CardMembers = (appName: string) => JsonObject;

export async function openCardFile({
  config,
  clock,
  logger,
}: Pick<GatewayDeps, "config" | "clock" | "logger">): Promise<CardMembers> {
  const path = config.A2A_CARDS_FILE;
  if (path === "") return () => ({});
  const { parse } = await import("yaml");
  const parseCards = (text: string): ReadonlyMap<string, JsonObject> => {
    let value: unknown;
    try {
      value = parse(text);
    } catch (error) {
      throw new PlatformError("CONFIGURATION", "A2A_CARDS_FILE: the file is not valid YAML.", { cause: error });
    }
    return readCards(value);
  };
  const file = new WatchedFile({ path, setting: "A2A_CARDS_FILE", parse: parseCards, clock, logger });
  return (appName) => file.content.get(appName) ?? {};
}

/** Throws `CONFIGURATION` with the place of a fault. */
export function readCards(value: unknown): ReadonlyMap<string, JsonObject> {
  const apps = isJsonObject(value) ? value["apps"] : undefined;
  if (!isJsonObject(apps)) throw fault("the file should be a map with `apps`");
  return new Map(
    Object.entries(apps).map(([name, card]) => {
      if (!isJsonObject(card)) throw fault(`apps.${name} should be a map`);
      const other = Object.keys(card).find((member) => !MEMBERS.includes(member));
      if (other !== undefined)
        throw fault(`apps.${name} has the unknown member "${other}"; known: ${MEMBERS.join(", ")}`);
      for (const member of ["defaultInputModes", "defaultOutputModes"])
        if (card[member] !== undefined && !isTexts(card[member]))
          throw fault(`apps.${name}.${member} should be a list of texts`);
      return [name, card];
    }),
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function fault(text: string): PlatformError {
  return new PlatformError("CONFIGURATION", `A2A_CARDS_FILE: ${text}.`);
}
