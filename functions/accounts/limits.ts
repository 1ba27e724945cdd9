/** The limits of people, settings of a stage; the platform team has none of them. Each at least 1. */
export interface Limits {
  /** Accounts that the person has created, including closed ones. */
  readonly accountsPerPerson: number;
  readonly projectsPerAccount: number;
  /** Projects made in an account in one period of the quota, including closed ones: each has its own quota. */
  readonly projectsPerPeriod: number;
  /** Without those in their grace after a rotation. */
  readonly activeKeysPerProject: number;
  /** Invited ones included. */
  readonly membersPerAccount: number;
  /** Invitations by a person to one address in a UTC day, in all accounts, including withdrawn and declined ones. */
  readonly invitationsPerAddress: number;
  readonly changesPerMinute: number;
  /** Reads of usage and events. */
  readonly readsPerMinute: number;
  readonly signInsPerMinute: number;
}

/** The default factor between the projects that may be open and those that may be made in a period. */
export const PROJECTS_MADE_TO_OPEN = 2;

/** The defaults of a stage. */
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
