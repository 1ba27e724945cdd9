import { Duration, RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import {
  CfnManagedLoginBranding,
  ManagedLoginVersion,
  OAuthScope,
  UserPoolClient,
  UserPoolClientIdentityProvider,
  UserPoolDomain,
  type CfnUserPoolClient,
  type IUserPool,
} from 'aws-cdk-lib/aws-cognito';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Aws } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { PORTAL_ENVIRONMENT } from '../../functions/wiring.ts';
import type { StageSettings } from '../settings.ts';
import { signInLook } from './sign-in-look.ts';
import { signInHost, signInPrefix } from './user-pool.ts';

/** Only the function uses the tokens, and only once. */
const TOKEN_MINUTES = 5;
/** Cognito's minimum. */
const REFRESH_MINUTES = 60;

export interface PortalIdentityProps {
  readonly settings: StageSettings;
  /** The portal's. */
  readonly origin: string;
  /** The user pool with the people; undefined: they are at the provider in the settings. */
  readonly people: IUserPool | undefined;
}

/** The portal's OpenID provider: the user pool's sign-in pages and a client of it, or another issuer. */
export class PortalIdentity extends Construct {
  /** The function's variables for it, without the secret itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secretArn: string;
  /** Of the user pool; undefined with another issuer. */
  readonly clientId: string | undefined;

  constructor(scope: Construct, id: string, { settings, origin, people }: PortalIdentityProps) {
    super(scope, id);
    const { oidcIssuerLabel, oidcTrustEmail } = settings;
    const { cognitoOrigin, ...client } = people
      ? this.#clientOf(people, origin, settings)
      : { ...ownClient(settings), cognitoOrigin: undefined };
    this.secretArn = client.secretArn;
    this.clientId = people && client.clientId;
    const variables: Record<string, string | undefined> = {
      [PORTAL_ENVIRONMENT.oidcIssuer]: client.issuer,
      [PORTAL_ENVIRONMENT.oidcClientId]: client.clientId,
      [PORTAL_ENVIRONMENT.oidcClientSecretArn]: client.secretArn,
      [PORTAL_ENVIRONMENT.cognitoOrigin]: cognitoOrigin,
      [PORTAL_ENVIRONMENT.oidcIssuerLabel]: oidcIssuerLabel,
      [PORTAL_ENVIRONMENT.oidcTrustEmail]: oidcTrustEmail,
    };
    this.environment = Object.fromEntries(
      Object.entries(variables).filter((variable): variable is [string, string] => variable[1] !== undefined),
    );
  }

  #clientOf(userPool: IUserPool, origin: string, { stage, signInClient }: StageSettings) {
    new UserPoolDomain(this, 'SignInPages', {
      userPool,
      cognitoDomain: { domainPrefix: signInPrefix(stage) },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    const client = new UserPoolClient(this, `Client${signInClient}`, {
      userPool,
      generateSecret: true,
      // Required by the sign-in pages for passkeys.
      authFlows: { user: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [`${origin}/api/sign-in/callback`],
        logoutUrls: [`${origin}/`],
      },
      supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
      preventUserExistenceErrors: true,
      idTokenValidity: Duration.minutes(TOKEN_MINUTES),
      accessTokenValidity: Duration.minutes(TOKEN_MINUTES),
      refreshTokenValidity: Duration.minutes(REFRESH_MINUTES),
    });
    // Without a branding the sign-in pages of a client are not served.
    new CfnManagedLoginBranding(this, `Branding${signInClient}`, {
      userPoolId: userPool.userPoolId,
      clientId: client.userPoolClientId,
      ...signInLook(),
    });
    const { attrClientSecret } = client.node.defaultChild as CfnUserPoolClient;
    const secret = new Secret(this, `ClientSecret${signInClient}`, {
      description:
        "The portal's client secret at the user pool; CloudFormation puts it here, and nobody needs to see it.",
      secretStringValue: SecretValue.resourceAttribute(attrClientSecret),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Cognito makes this secret. Another client of the pool, by the setting signInClient, has another one.',
    });
    return {
      issuer: `https://cognito-idp.${Aws.REGION}.amazonaws.com/${userPool.userPoolId}`,
      clientId: client.userPoolClientId,
      secretArn: secret.secretArn,
      cognitoOrigin: `https://${signInHost(stage)}`,
    };
  }
}

function ownClient({ oidcIssuer, oidcClientId, oidcClientSecretArn }: StageSettings) {
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecretArn === undefined) {
    throw new Error('a portal without a provider');
  }
  return { issuer: oidcIssuer, clientId: oidcClientId, secretArn: oidcClientSecretArn };
}
