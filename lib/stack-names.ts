/** The names of the stacks of a stage, by which the programs read them. Data only. */

/** The name of a stage, which is one deployment: `dev`, `prod`, `anna`. It has no meaning beyond that. */
export type Stage = string;

/** Names of stages are short, since they are part of other names. */
export const STAGE_NAME = /^[a-z][a-z0-9]{0,15}$/;

/** Name of the CloudFormation stack of a stage. */
export const stackNameOf = (stage: Stage): string => `SandboxGateway-${stage}`;

/** Name of the CloudFormation stack of a stage's portal. */
export const portalStackNameOf = (stage: Stage): string => `${stackNameOf(stage)}-portal`;

/** Name of the CloudFormation stack of a stage's notices. */
export const noticesStackNameOf = (stage: Stage): string => `${stackNameOf(stage)}-notices`;

/** Stands for a version of the secret of key tags: the one that Secrets Manager calls current. */
export const CURRENT_SECRET_VERSION = 'AWSCURRENT';
