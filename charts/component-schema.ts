import { Type } from "typebox";
import { closed, freeObject, RESOURCES, textMap, textOrNumber } from "./value-types.ts";

const list = Type.Array(freeObject);
const seconds = Type.Integer({ minimum: 0 });
const probe = closed({
  initialDelaySeconds: seconds,
  periodSeconds: Type.Integer({ minimum: 1 }),
  timeoutSeconds: Type.Integer({ minimum: 1 }),
  failureThreshold: Type.Integer({ minimum: 1 }),
  successThreshold: Type.Integer({ minimum: 1 }),
});
const id = Type.Integer({ minimum: 1 });

/** Where a store of files keeps its data. */
export const PERSISTENCE = closed({
  enabled: Type.Boolean(),
  existingClaim: Type.String(),
  size: Type.String({ pattern: "^[0-9.]+[EPTGMk]i?$" }),
  storageClassName: Type.String(),
});

/** Keys of each service and of `defaults`. */
export const COMPONENT = {
  replicas: Type.Integer({ minimum: 0 }),
  resources: RESOURCES,
  // The kubelet accepts no sleep longer than the grace period, which includes this value.
  preStopSeconds: seconds,
  drainSeconds: seconds,
  terminationGracePeriodSeconds: Type.Union([seconds, Type.Null()]),
  revisionHistoryLimit: seconds,
  minReadySeconds: seconds,
  strategy: freeObject,
  podAnnotations: textMap,
  podLabels: textMap,
  nodeSelector: textMap,
  tolerations: list,
  affinity: freeObject,
  topologySpreadConstraints: Type.Union([list, Type.Null()]),
  priorityClassName: Type.String(),
  runtimeClassName: Type.String(),
  podSecurityContext: closed({
    runAsUser: id,
    runAsGroup: id,
    fsGroup: id,
    supplementalGroups: Type.Array(id),
  }),
  hostAliases: list,
  dnsConfig: freeObject,
  tmpSizeLimit: Type.String(),
  extraEnv: list,
  extraEnvFrom: list,
  extraVolumes: list,
  extraVolumeMounts: list,
  extraContainers: list,
  extraInitContainers: list,
  extraPodSpec: freeObject,
  extraContainerSpec: freeObject,
  probes: closed({ startup: probe, readiness: probe, liveness: probe }),
  pdb: closed({ enabled: Type.Boolean(), maxUnavailable: textOrNumber }),
  autoscaling: closed({
    enabled: Type.Boolean(),
    keda: Type.Boolean(),
    minReplicas: Type.Integer({ minimum: 0 }),
    maxReplicas: Type.Integer({ minimum: 1 }),
    targetCPUUtilizationPercentage: Type.Integer({ minimum: 0, maximum: 1000 }),
    targetLoad: Type.Integer({ minimum: 0 }),
    targetQueueAgeSeconds: seconds,
    prometheusAddress: Type.String({ pattern: "^(https?://.+)?$" }),
    behavior: freeObject,
  }),
  serviceAccount: closed({ create: Type.Boolean(), name: Type.String(), annotations: textMap }),
  service: closed({ annotations: textMap, extraSpec: freeObject }),
  networkPolicy: closed({ extraIngress: list, extraEgress: list }),
};
