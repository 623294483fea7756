interface ProgramOptions {
  readonly image: string;
  readonly command: readonly string[];
  /** Files of the program. */
  readonly scripts: { readonly configMap: string; readonly mountPath: string };
  readonly readinessProbe?: object;
}

/** A pod with one program of the test, which a namespace of the `restricted` standard accepts. */
export function restrictedPod(
  metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> },
  { image, command, scripts, readinessProbe }: ProgramOptions,
): object {
  const volumeMounts = [{ name: "scripts", mountPath: scripts.mountPath }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          ...{ name: metadata.name, image, imagePullPolicy: "IfNotPresent", command, volumeMounts },
          ...(readinessProbe !== undefined && { readinessProbe }),
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
      volumes: [{ name: "scripts", configMap: { name: scripts.configMap } }],
    },
  };
}
