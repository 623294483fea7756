import { PlatformError } from "#kit/errors/platform-error.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import { isOwned } from "./data-owner.ts";
import type { DataDeletion } from "./tenant-data.ts";

/** Throws `DATA_IN_DELETION` if the data under the name is being deleted. */
export function assertNotInDeletion(
  deletions: readonly DataDeletion[],
  name: TenantScoped & { readonly userId?: string | undefined },
): void {
  if (deletions.some((deletion) => isOwned(deletion, name))) throw dataInDeletion();
}

export function dataInDeletion(): PlatformError {
  return new PlatformError("DATA_IN_DELETION", "The data of this tenant or user is being deleted. Nothing new begins.");
}
