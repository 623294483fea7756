import { describe, expect, it } from "vitest";
import { SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { at, find, listAt, render, tools } from "./render.ts";

describe.skipIf(tools.helm === undefined)("scaling", () => {
  it("leaves the number of pods to the scaler", async () => {
    const objects = await render({ runner: { autoscaling: { enabled: true } }, session: { replicas: 3 } });
    expect(at(find(objects, "Deployment", "agents-fairlead-runner"), "spec.replicas")).toBeUndefined();
    expect(at(find(objects, "Deployment", "agents-fairlead-session"), "spec.replicas")).toBe(3);
  });

  it("is by open streams for gateways, by busy slots and the queue's age for runners, never by processor time alone", async () => {
    const autoscaling = { enabled: true, minReplicas: 3, maxReplicas: 9 };
    const objects = await render({
      gateway: { autoscaling },
      runner: { autoscaling: { ...autoscaling, targetQueueAgeSeconds: 30 } },
    });
    const pods = (name: string, averageValue: string) => ({
      type: "Pods",
      pods: { metric: { name }, target: { type: "AverageValue", averageValue } },
    });
    const cpu = {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
    };
    const gateway = find(objects, "HorizontalPodAutoscaler", "agents-fairlead-gateway");
    expect(gateway["spec"]).toMatchObject({
      minReplicas: 3,
      maxReplicas: 9,
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    });
    expect(at(gateway, "spec.metrics")).toEqual([pods("fairlead_http_requests_in_flight", "200"), cpu]);
    expect(at(find(objects, "HorizontalPodAutoscaler", "agents-fairlead-runner"), "spec.metrics")).toEqual([
      pods("fairlead_run_slots_busy", "20"),
      pods("fairlead_runs_queued_oldest_seconds", "30"),
      cpu,
    ]);
  });

  it("by KEDA asks Prometheus for the pods of this release", async () => {
    const objects = await render({}, { scenario: "keda" });
    const scaled = find(objects, "ScaledObject", "agents-fairlead-runner");
    expect(at(scaled, "spec.scaleTargetRef")).toEqual({ name: "agents-fairlead-runner" });
    expect(
      listAt(scaled, "spec.triggers").map((trigger) => at(trigger, "metadata.query") ?? at(trigger, "type")),
    ).toEqual([
      'sum(fairlead_run_slots_busy{namespace="team",pod=~"agents-fairlead-runner-.*"})',
      'max(fairlead_runs_queued_oldest_seconds{namespace="team",pod=~"agents-fairlead-runner-.*"})',
      "cpu",
    ]);
    expect(objects.filter(({ kind }) => kind === "HorizontalPodAutoscaler")).toEqual([]);
  });

  it("keeps a budget for each service of several pods, and lets broken pods go", async () => {
    const objects = await render({
      defaults: { replicas: 2 },
      eval: { replicas: 1 },
      memory: { pdb: { enabled: false } },
    });
    const budgets = objects.filter(({ kind }) => kind === "PodDisruptionBudget");
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual(
      SERVICE_NAMES.filter((name) => name !== "eval" && name !== "memory")
        .map((name) => `agents-fairlead-${name}`)
        .sort(),
    );
    for (const budget of budgets)
      expect(budget["spec"]).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
  });
});
