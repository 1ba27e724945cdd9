/** What a person can make, settings of a stage; operators are not held to them. Each at least 1. */
export interface Limits {
  /** That the person has created, closed ones included. */
  readonly accountsPerPerson: number;
  readonly projectsPerAccount: number;
  /** Those in their grace after a rotation do not count. */
  readonly activeKeysPerProject: number;
  /** Invited ones included. */
  readonly membersPerAccount: number;
  readonly changesPerMinute: number;
  /** Reads of usage and events. */
  readonly readsPerMinute: number;
  readonly signInsPerMinute: number;
}

/** Where a stage sets nothing else. */
export const DEFAULT_LIMITS: Limits = {
  accountsPerPerson: 5,
  projectsPerAccount: 10,
  activeKeysPerProject: 20,
  membersPerAccount: 50,
  changesPerMinute: 60,
  readsPerMinute: 60,
  signInsPerMinute: 10,
};
