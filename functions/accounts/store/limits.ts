/** The default factor between the projects that may be open and those that may be made in a period. */
export const PROJECTS_MADE_TO_OPEN = 2;

/** The defaults of a stage, for the limits of people; the platform team has none of them. Each at least 1. */
export const DEFAULT_LIMITS = {
  /** Accounts that the person has created, including closed ones. */
  accountsPerPerson: 5,
  projectsPerAccount: 10,
  /** Projects made in an account in one period of the quota, including closed ones: each has its own quota. */
  projectsPerPeriod: 10 * PROJECTS_MADE_TO_OPEN,
  /** Without those in their grace after a rotation. */
  activeKeysPerProject: 20,
  /** Invited ones included. */
  membersPerAccount: 50,
  /** Invitations by a person to one address in a UTC day, in all accounts, including withdrawn and declined ones. */
  invitationsPerAddress: 10,
  changesPerMinute: 60,
  /** Reads of usage and events. */
  readsPerMinute: 60,
  signInsPerMinute: 10,
};

/** The limits of people, settings of a stage. */
export type Limits = Readonly<Record<keyof typeof DEFAULT_LIMITS, number>>;
