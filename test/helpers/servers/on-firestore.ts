import { afterAll, beforeAll, describe } from "vitest";
import { FirestoreDatabase, type FirestoreDatabaseOptions } from "#adapters/firestore/database/firestore-database.ts";
import {
  type FirestoreEmulator,
  startFirestoreEmulator,
  whyNoFirestore,
} from "#tooling/emulators/firestore-emulator.ts";

export interface FirestoreProjects {
  /** An id that no other test of the suite has. */
  newProject(): string;
  /** Opens a database, in a new project by default. The caller closes it. */
  openDatabase(options?: Partial<FirestoreDatabaseOptions>): FirestoreDatabase;
}

/** A suite with an emulator of its own. Skipped without one. */
export function describeOnFirestore(title: string, suite: (firestore: FirestoreProjects) => void): void {
  describe.skipIf(whyNoFirestore() !== undefined)(title, { timeout: 30_000 }, () => {
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
    suite({
      newProject,
      openDatabase: (options) =>
        new FirestoreDatabase({ projectId: newProject(), emulatorHost: emulator.host, ...options }),
    });
  });
}
