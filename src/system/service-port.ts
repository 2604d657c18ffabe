/** Switchboard as a service of the operating system, for this user. */
export interface ServicePort {
  /** The definition, without writing it. */
  preview(port: number): Promise<{ path: string; text: string }>;
  /** `started` is false where there is no program to start services. */
  install(port: number): Promise<{ path: string; changed: boolean; started: boolean }>;
  remove(): Promise<{ path: string }>;
}
