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
import type { Stage } from '../../functions/wiring.ts';
import { isBeingCreated } from '../first-creation.ts';
import type { StageSettings } from '../settings.ts';
import { hasPortal } from './settings.ts';

const MFA = { off: Mfa.OFF, optional: Mfa.OPTIONAL, required: Mfa.REQUIRED } as const;
const MIN_PASSWORD_CHARACTERS = 12;
const INVITED_PASSWORD_DAYS = 7;

/**
 * The first label of the sign-in pages' address, which must differ from other accounts and stages of a region. It is
 * short: the whole host is the passkeys' domain, which has at most 63 characters, and a region's name has up to 15.
 */
export const signInPrefix = (stage: Stage): string => `sgw-${stage}-${Aws.ACCOUNT_ID}`;

/** The host of the sign-in pages. Passkeys are bound to it: with another host all of them are invalid. */
export const signInHost = (stage: Stage): string => `${signInPrefix(stage)}.auth.${Aws.REGION}.amazoncognito.com`;

/** Whether people sign in at the stage's user pool. */
export const usesUserPool = (settings: StageSettings): boolean =>
  hasPortal(settings) && settings.oidcIssuer === undefined;

/**
 * The people of the portal, kept like the tables, which name them. Undefined for a stage that neither uses nor keeps a
 * pool.
 */
export function peoplesPool(scope: Construct, id: string, settings: StageSettings): UserPool | undefined {
  const { stage, mfa, selfSignUp, signInEmailFrom, keepUserPool } = settings;
  if (!usesUserPool(settings) && keepUserPool === 'false') return undefined;
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
      email: UserPoolEmail.withSES({ fromEmail: signInEmailFrom, sesRegion: Aws.REGION }),
    }),
    deletionProtection: stage !== 'dev' && !isBeingCreated(scope),
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
