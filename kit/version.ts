/** The version of this kit. */
export class Version {
  static readonly FAIRLEAD_VERSION = "0.1.0";
}
