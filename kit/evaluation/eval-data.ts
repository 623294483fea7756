import { toPlatformError } from "../errors/platform-error.ts";
import { inTenant } from "../names/tenant.ts";
import type { DataOwner } from "../tenants/data-owner.ts";
import type {
  DataItem,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "../tenants/tenant-data.ts";
import { tenantDataOf } from "../tenants/tenant-data-of.ts";
import type { EvalSetResult } from "./eval-result.ts";
import type { EvalStore } from "./eval-store.ts";

const PAGE = 100;

/**
 * The evaluation sets and results of a tenant; of one of its users the results with cases that ran as that user. Of these a
 * deletion removes the cases, and leaves the result with its name. A result that cannot be read is left out.
 */
export class EvalData implements TenantData {
  readonly #store: EvalStore;
  readonly #data: TenantData;

  constructor(store: EvalStore) {
    this.#store = store;
    this.#data = tenantDataOf(store);
  }

  async listData({ userId, ...request }: ListDataRequest): Promise<DataPage> {
    const page = await this.#data.listData(request);
    if (userId === undefined) return page;
    const owner = { tenantId: request.tenantId, userId };
    const items: DataItem[] = [];
    for (const item of page.items) if ((await this.#resultOf(item, owner)) !== undefined) items.push(item);
    return { ...page, items };
  }

  async deleteData({ userId, ...request }: DeleteDataRequest): Promise<DeleteDataResponse> {
    if (userId === undefined) return this.#data.deleteData(request);
    const { tenantId, limit } = request;
    let deleted = 0;
    for (let place: { readonly pageToken?: string } = {}; ; ) {
      const page = await this.#data.listData({ tenantId, pageSize: PAGE, ...place });
      for (const item of page.items) {
        const result = await this.#resultOf(item, { tenantId, userId });
        if (result === undefined) continue;
        const evalCaseResults = result.evalCaseResults.filter((each) => each.userId !== userId);
        await this.#store.saveEvalSetResult(appOf(item, tenantId), { ...result, evalCaseResults });
        deleted += 1;
        if (deleted === limit) return { deleted, isDone: false };
      }
      if (page.nextPageToken === undefined) return { deleted, isDone: true };
      place = { pageToken: page.nextPageToken };
    }
  }

  /** The result with that name, if it has cases of the user. */
  async #resultOf(item: DataItem, { tenantId, userId }: DataOwner): Promise<EvalSetResult | undefined> {
    if (item.kind !== "eval-result") return undefined;
    try {
      const result = await this.#store.getEvalSetResult(appOf(item, tenantId), String(item["evalResultId"]));
      return result?.evalCaseResults.some((each) => each.userId === userId) ? result : undefined;
    } catch (error) {
      if (toPlatformError(error).reason === "EVAL_DATA_BROKEN") return undefined;
      throw error;
    }
  }
}

function appOf(item: DataItem, tenantId: string) {
  return { ...inTenant(tenantId), appName: String(item["appName"]) };
}
