import { apply, kubectl } from "#tooling/cluster/commands.ts";

const NAME = "postgres";
const PORT = 5432;
/** A user that every image has; the server refuses to run as root. */
const NOBODY = 65534;
/** Works in Postgres' own image and in one made of Debian's packages. Everybody may connect. */
const SCRIPT = `
PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
data=/data/cluster
[ -f $data/PG_VERSION ] || initdb --auth=trust --username=postgres --encoding=UTF8 --no-locale --pgdata=$data
echo "host all all all trust" >$data/pg_hba.conf
rm -f $data/postmaster.pid
exec postgres -D $data -c listen_addresses=* -c unix_socket_directories=`;

export interface PostgresPodOptions {
  readonly namespace: string;
  readonly image: string;
}

/** A Postgres with one pod, whose data are on a volume, so that another pod continues with them. */
export class PostgresPod implements AsyncDisposable {
  readonly #namespace: string;

  private constructor(namespace: string) {
    this.#namespace = namespace;
  }

  static async start({ namespace, image }: PostgresPodOptions): Promise<PostgresPod> {
    await apply(namespace, ...objectsOf(image));
    const pod = new PostgresPod(namespace);
    await pod.untilReady();
    return pod;
  }

  get url(): string {
    return `postgresql://postgres@${NAME}:${PORT}/postgres`;
  }

  /** Ends the pod without notice, as when its node is lost, and resolves when another one answers. */
  async kill(): Promise<void> {
    await kubectl("--namespace", this.#namespace, "delete", "pod", `${NAME}-0`, "--grace-period=0", "--force");
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    await kubectl("--namespace", this.#namespace, "rollout", "status", `statefulset/${NAME}`, "--timeout=120s");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const objects = [`statefulset/${NAME}`, `service/${NAME}`, `persistentvolumeclaim/data-${NAME}-0`];
    await kubectl("--namespace", this.#namespace, "delete", ...objects, "--ignore-not-found");
  }
}

function objectsOf(image: string): readonly object[] {
  const [labels, metadata] = [{ app: NAME }, { name: NAME }];
  const container = {
    ...{ name: NAME, image, imagePullPolicy: "IfNotPresent", command: ["sh", "-c", SCRIPT] },
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const template = {
    metadata: { labels },
    spec: {
      automountServiceAccountToken: false,
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: NOBODY, runAsGroup: NOBODY, fsGroup: NOBODY },
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [container],
    },
  };
  const resources = { requests: { storage: "1Gi" } };
  const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources } };
  return [
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: PORT }] } },
    {
      ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata },
      spec: { serviceName: NAME, selector: { matchLabels: labels }, template, volumeClaimTemplates: [claim] },
    },
  ];
}
