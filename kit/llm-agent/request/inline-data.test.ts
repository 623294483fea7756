import { expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { inlineData } from "./contents.ts";

const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
const content = { parts: [{ fileData: { fileUri: "fairlead-inline:f", mimeType: "text/plain" } }] };
const refers = createEvent({ id: "e", invocationId: "i", author: "user", timestamp: 0, content });

it.each([
  ["no event refers to any", { artifactService, events: [{ ...refers, content: userContent("hi") }] }],
  ["there is no place for artifacts", { events: [refers] }],
])("has no large data to put back if %s", (_, options) => {
  expect(inlineData(createStep(options))).toBeUndefined();
});

it("puts large data back if an event refers to some", () => {
  expect(inlineData(createStep({ artifactService, events: [refers] }))).toBeInstanceOf(Promise);
});
