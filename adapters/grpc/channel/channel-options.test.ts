import { expect, it } from "vitest";
import { channelOptions, serviceConfig } from "./channel-options.ts";
import { loadProto } from "./proto.ts";

const JOURNAL = loadProto("runJournal").fairlead.session.v1.RunJournalService.service;

it("repeats only calls whose proto says that this is harmless, and only when the service was not there", () => {
  const [config, ...others] = serviceConfig(JOURNAL).methodConfig;
  expect(others).toEqual([]);
  expect(config?.name).toEqual(
    [
      "AppendEvents",
      "FinishRun",
      "RenewLease",
      "SignGrant",
      "RequestCancel",
      "GetRun",
      "ListRuns",
      "BatchGetHeads",
      "ListAbandonedRuns",
    ].map((method) => ({
      service: "fairlead.session.v1.RunJournalService",
      method,
    })),
  );
  expect(config?.retryPolicy.retryableStatusCodes).toEqual(["UNAVAILABLE"]);
});

it("gives no timeout as a fraction of seconds in text, which the library would misread", () => {
  const text = channelOptions(JOURNAL)["grpc.service_config"];
  expect(text?.match(/"(timeout|interval|base_ejection_time)":"/g)).toBeNull();
  expect(JSON.parse(text ?? "")).toEqual(serviceConfig(JOURNAL));
});

it("spreads calls over all addresses", () => {
  expect(serviceConfig(JOURNAL).loadBalancingConfig[0]?.outlier_detection.child_policy).toEqual([{ round_robin: {} }]);
});
