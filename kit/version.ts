/** Which kit this is. */
export class Version {
  static readonly AGENTPLANE_VERSION = "0.1.0";
}
