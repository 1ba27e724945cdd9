/** What a person can make, settings of a stage; operators are not held to them. Each at least 1. */
export interface Limits {
  /** That the person has created, closed ones included. */
  readonly accountsPerPerson: number;
  readonly projectsPerAccount: number;
  /** That people have made in an account in one period of the quota, closed ones included: each has a quota of its own. */
  readonly projectsPerPeriod: number;
  /** Those in their grace after a rotation do not count. */
  readonly activeKeysPerProject: number;
  /** Invited ones included. */
  readonly membersPerAccount: number;
  /** That a person makes of one address in a day of UTC, in all accounts, withdrawn and declined ones included. */
  readonly invitationsPerAddress: number;
  readonly changesPerMinute: number;
  /** Reads of usage and events. */
  readonly readsPerMinute: number;
  readonly signInsPerMinute: number;
}

/** Of projects that may be open, so many times as many may be made in a period, where a stage sets nothing else. */
export const PROJECTS_MADE_TO_OPEN = 2;

/** Where a stage sets nothing else. */
export const DEFAULT_LIMITS: Limits = {
  accountsPerPerson: 5,
  projectsPerAccount: 10,
  projectsPerPeriod: 10 * PROJECTS_MADE_TO_OPEN,
  activeKeysPerProject: 20,
  membersPerAccount: 50,
  invitationsPerAddress: 10,
  changesPerMinute: 60,
  readsPerMinute: 60,
  signInsPerMinute: 10,
};
