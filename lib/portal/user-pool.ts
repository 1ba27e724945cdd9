import { createHash } from 'node:crypto';
import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  FeaturePlan,
  Mfa,
  PasskeyUserVerification,
  UserPool,
  UserPoolEmail,
  type CfnUserPool,
} from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import type { StageProps } from '../stage-props.ts';

const MFA = { off: Mfa.OFF, optional: Mfa.OPTIONAL, required: Mfa.REQUIRED } as const;
const MIN_PASSWORD_CHARACTERS = 12;
const INVITED_PASSWORD_DAYS = 7;

/** The longest name of a stage that fits whole into the address of the sign-in pages. */
const MAX_LABEL_CHARACTERS = 7;

/**
 * The first label of the sign-in pages' address, which must differ from other accounts and stages of a region. It is
 * short: the whole host is the passkeys' domain, which has at most 63 characters, and a region's name has up to 15. A
 * longer name of a stage is cut, with a digest that tells it from others.
 */
export const signInPrefix = (stage: string): string => {
  const digest = createHash('sha256').update(stage).digest('hex').slice(0, 4);
  const label = stage.length <= MAX_LABEL_CHARACTERS ? stage : stage.slice(0, MAX_LABEL_CHARACTERS - 4) + digest;
  return `sgw-${label}-${Aws.ACCOUNT_ID}`;
};

/** The host of the sign-in pages. Passkeys are bound to it: with another host all of them are invalid. */
export const signInHost = (stage: string): string => `${signInPrefix(stage)}.auth.${Aws.REGION}.amazoncognito.com`;

export interface PeoplesPoolProps extends Pick<StageProps, 'stage' | 'production'> {
  /** `open`: everybody may sign up. `closed`: the platform team makes people. */
  readonly selfSignUp: 'open' | 'closed';
  readonly mfa: 'off' | 'optional' | 'required';
  /** The sender of the pool's mail, an identity of SES; undefined: Cognito's own, 50 mails a day. */
  readonly signInEmailFrom: string | undefined;
  /** The identity of SES that the sender belongs to, if it is a domain; undefined: the address itself. */
  readonly sesVerifiedDomain: string | undefined;
}

/** The people of the portal, kept like the tables, which name them. */
export function peoplesPool(scope: Construct, id: string, props: PeoplesPoolProps): UserPool {
  const { stage, production, mfa, selfSignUp, signInEmailFrom, sesVerifiedDomain } = props;
  const pool = new UserPool(scope, id, {
    featurePlan: FeaturePlan.ESSENTIALS,
    selfSignUpEnabled: selfSignUp === 'open',
    signInAliases: { email: true },
    signInCaseSensitive: false,
    // An invitation needs a verified address. Until a new one is verified, the old one stays.
    autoVerify: { email: true },
    keepOriginal: { email: true },
    standardAttributes: { email: { required: true, mutable: true }, fullname: { required: false, mutable: true } },
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    passwordPolicy: {
      minLength: MIN_PASSWORD_CHARACTERS,
      requireLowercase: true,
      requireUppercase: true,
      requireDigits: true,
      requireSymbols: true,
      tempPasswordValidity: Duration.days(INVITED_PASSWORD_DAYS),
    },
    mfa: MFA[mfa],
    ...(mfa !== 'off' && { mfaSecondFactor: { otp: true, sms: false } }),
    signInPolicy: { allowedFirstAuthFactors: { password: true, passkey: true } },
    passkeyRelyingPartyId: signInHost(stage),
    passkeyUserVerification: PasskeyUserVerification.REQUIRED,
    ...(signInEmailFrom !== undefined && {
      email: UserPoolEmail.withSES({
        fromEmail: signInEmailFrom,
        sesRegion: Aws.REGION,
        ...(sesVerifiedDomain !== undefined && { sesVerifiedDomain }),
      }),
    }),
    deletionProtection: production ?? false,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  // A passkey with finger or PIN counts as two factors. As one factor, it could not be used where two are required.
  if (mfa !== 'off') {
    (pool.node.defaultChild as CfnUserPool).webAuthnFactorConfiguration = 'MULTI_FACTOR_WITH_USER_VERIFICATION';
  }
  if (mfa !== 'required') {
    Validations.of(pool).acknowledge({
      id: 'AwsSolutions-COG2',
      reason:
        'A setting of the stage: what a developer has here are test keys, which the last owner of a project can revoke.',
    });
  }
  Validations.of(pool).acknowledge({
    id: 'AwsSolutions-COG8',
    reason:
      'Essentials has what the portal uses; threat protection of the Plus plan costs more than the rest of the portal.',
  });
  return pool;
}
