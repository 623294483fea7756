import { afterAll, beforeAll } from "vitest";
import { FirestoreDatabase, type FirestoreDatabaseOptions } from "#adapters/firestore/database/firestore-database.ts";
import { type FirestoreEmulator, startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";

export interface FirestoreProjects {
  /** An id that no other test of the suite has. */
  newProject(): string;
  /** The emulator's host and port, in the form of its setting. Known once the suite's tests run. */
  host(): string;
  /** Opens a database, in a new project by default. The caller closes it. */
  openDatabase(options?: Partial<FirestoreDatabaseOptions>): FirestoreDatabase;
}

/** Gives the suite that calls it an emulator of its own. */
export function useFirestore(): FirestoreProjects {
  let emulator: FirestoreEmulator;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
  }, 90_000);
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
  });

  const newProject = (): string => {
    projects += 1;
    return `project-${projects}`;
  };
  return {
    newProject,
    host: () => emulator.host,
    openDatabase: (options) =>
      new FirestoreDatabase({ projectId: newProject(), emulatorHost: emulator.host, ...options }),
  };
}
