import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import * as keys from "./document-keys.ts";

it("names the members and collections of persisted documents", () => {
  verifies(
    "session:collection:events",
    "session:document-key:app-name",
    "session:document-key:author",
    "session:document-key:id",
    "session:document-key:state",
    "session:document-key:timestamp",
    "session:document-key:update-time",
    "session:document-key:user-id",
    "session:collection:app-state",
  );
  expect({ ...keys }).toEqual({
    APP_NAME_KEY: "appName",
    AUTHOR_KEY: "author",
    ID_KEY: "id",
    MODEL_KEY: "model",
    STATE_KEY: "state",
    TIMESTAMP_KEY: "timestamp",
    UPDATE_TIME_KEY: "updateTime",
    USER_KEY: "user",
    USER_ID_KEY: "userId",
    APP_STATE_COLLECTION: "app-state",
    EVENTS_SUBCOLLECTION_NAME: "user-event",
  });
});
