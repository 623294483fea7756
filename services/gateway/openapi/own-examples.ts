import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { EXAMPLE_APP } from "./run-examples.ts";

/** The app that a server's description shows, and a message for it. */
export interface OwnExample {
  readonly appName: string;
  readonly message: string;
}

const GENERAL_MESSAGE = "Hello! What can you do?";
const GENERAL_ANSWER = "Hello! Here is what I can do.";
const ITS_BEGINNING = "Hello! ";

/**
 * The server's first app, with the first message that its author gives. Undefined if the server has the app of the
 * examples, has none, or cannot say: then the examples stay.
 */
export async function ownExample(
  runnerService: Pick<RunnerService, "listApps" | "describeApp">,
): Promise<OwnExample | undefined> {
  try {
    const [first, ...others] = await runnerService.listApps();
    if (first === undefined || [first, ...others].includes(EXAMPLE_APP.name)) return undefined;
    // An app that cannot be loaded is in the list, too.
    const described = await runnerService.describeApp(first).catch(() => undefined);
    return { appName: first, message: described?.examples?.[0] ?? GENERAL_MESSAGE };
  } catch {
    return undefined;
  }
}

/** The document with the app and the message in its examples and in its introduction. */
export function withOwnExample(document: JsonObject, own: OwnExample): JsonObject {
  const info = isJsonObject(document["info"]) ? document["info"] : {};
  const description = String(info["description"])
    .replace("with the sample agents that `npm start` serves", "with the agents of this server")
    .replace(`\`${EXAMPLE_APP.name}\``, () => `\`${own.appName.replaceAll("`", "'")}\``);
  return { ...mapped(document, own, false), info: { ...info, description } };
}

function mapped(value: JsonObject, own: OwnExample, isExample: boolean): JsonObject {
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    key,
    mappedValue(member, own, isExample || key === "example" || key === "examples"),
  ]);
  return Object.fromEntries(entries);
}

function mappedValue(value: JsonValue, own: OwnExample, isExample: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => mappedValue(item, own, isExample));
  if (isJsonObject(value)) return mapped(value, own, isExample);
  return isExample && typeof value === "string" ? mappedText(value, own) : value;
}

/** Texts are values, or frames of a stream with JSON inside. */
function mappedText(text: string, { appName, message }: OwnExample): string {
  if (text === EXAMPLE_APP.name) return appName;
  if (text === EXAMPLE_APP.message) return message;
  const inside = (value: string): string => JSON.stringify(value).slice(1, -1);
  let own = text
    .replaceAll(`"${EXAMPLE_APP.name}"`, () => JSON.stringify(appName))
    .replaceAll(`${EXAMPLE_APP.name}_`, () => `${appName}_`)
    .replaceAll(EXAMPLE_APP.message, () => inside(message));
  for (const answer of EXAMPLE_APP.answers) own = own.replaceAll(answer, GENERAL_ANSWER);
  return own.replaceAll(EXAMPLE_APP.beginning, ITS_BEGINNING);
}
