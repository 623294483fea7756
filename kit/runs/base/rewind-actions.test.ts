import { expect, it } from "vitest";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { createRewindActions } from "./rewind-actions.ts";

const session = { appName: "app", userId: "ada", id: "talk" };

const event = (invocationId: string, actions: Partial<EventActions>): Event =>
  createEvent({
    id: `${invocationId}-event`,
    invocationId,
    author: "helper",
    timestamp: 0,
    actions: createEventActions(actions),
  });

it("restores what the session owns, and leaves what it shares and what did not change", async () => {
  const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
  const save = (filename: string) => artifactService.saveArtifact({ session, filename, artifact: { text: "x" } });
  for (const filename of ["own.txt", "user:shared.txt"]) await save(filename);
  const events = [
    event("before", { stateDelta: { kept: 1, own: "old" }, artifactDelta: { "earlier.txt": 0 } }),
    event("undone", {
      stateDelta: { own: "new", "app:a": 1, "user:b": 1, "temp:c": 1, "d:app:": 1, "d:temp:": 1 },
      artifactDelta: { "own.txt": 0, "user:shared.txt": 0 },
    }),
  ];
  expect(await createRewindActions(events, "undone", { session, artifactService })).toEqual(
    createEventActions({
      rewindBeforeInvocationId: "undone",
      stateDelta: { own: "old", "d:app:": null, "d:temp:": null },
      deletedArtifactIds: ["own.txt"],
    }),
  );
  expect(await artifactService.listArtifactKeys(session)).toEqual({ filenames: ["user:shared.txt"] });
});

it("restores no files where there is no artifact service", async () => {
  const events = [event("undone", { artifactDelta: { "own.txt": 0 } })];
  expect(await createRewindActions(events, "undone", { session, artifactService: undefined })).toEqual(
    createEventActions({ rewindBeforeInvocationId: "undone" }),
  );
});
