import { readFileSync } from 'node:fs';
import { Duration, RemovalPolicy, SecretValue, Validations, Aws } from 'aws-cdk-lib';
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
import { Construct } from 'constructs';
import { PORTAL_ENVIRONMENT, SIGN_IN_CALLBACK } from '../../functions/shared/names.ts';
import { signInHost, signInPrefix } from './user-pool.ts';

/** Only the function uses the tokens, and only once. */
const TOKEN_MINUTES = 5;
/** Cognito's minimum. */
const REFRESH_MINUTES = 60;

/** A client at an OpenID provider of the team. */
export interface OwnIssuer {
  readonly issuer: string;
  readonly clientId: string;
  /** The secret of Secrets Manager with the client's secret as its text. */
  readonly clientSecretArn: string;
  /** Accepts the addresses of a provider that does not say whether they are verified. */
  readonly trustEmail: boolean;
}

/** A file of the look of Cognito's sign-in pages: the portal's colours and logo. */
const lookOf = (file: string): Buffer => readFileSync(new URL(`../../portal/sign-in/${file}`, import.meta.url));

export interface PortalIdentityProps {
  readonly stage: string;
  /** The portal's. */
  readonly origin: string;
  /** Where people sign in: the user pool, or an issuer. */
  readonly people: IUserPool | OwnIssuer;
}

/** The number of the client at the user pool. With another number it is another client, with another secret. */
const CLIENT = 1;

/** The portal's OpenID provider: the user pool's sign-in pages and a client of it, or another issuer. */
export class PortalIdentity extends Construct {
  /** The function's variables for it, without the secret itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secretArn: string;
  /** Of the user pool; undefined with another issuer. */
  readonly clientId: string | undefined;

  constructor(scope: Construct, id: string, { stage, origin, people }: PortalIdentityProps) {
    super(scope, id);
    const isOwn = 'issuer' in people;
    const client = isOwn ? people : this.#clientOf(people, origin, stage);
    this.secretArn = client.clientSecretArn;
    this.clientId = isOwn ? undefined : client.clientId;
    this.environment = {
      [PORTAL_ENVIRONMENT.oidcIssuer]: client.issuer,
      [PORTAL_ENVIRONMENT.oidcClientId]: client.clientId,
      [PORTAL_ENVIRONMENT.oidcClientSecretArn]: client.clientSecretArn,
      ...(isOwn
        ? people.trustEmail && { [PORTAL_ENVIRONMENT.oidcTrustEmail]: 'true' }
        : { [PORTAL_ENVIRONMENT.cognitoOrigin]: `https://${signInHost(stage)}` }),
    };
  }

  #clientOf(userPool: IUserPool, origin: string, stage: string) {
    new UserPoolDomain(this, 'SignInPages', {
      userPool,
      cognitoDomain: { domainPrefix: signInPrefix(stage) },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    const client = new UserPoolClient(this, `Client${CLIENT}`, {
      userPool,
      generateSecret: true,
      // Required by the sign-in pages for passkeys.
      authFlows: { user: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [origin + SIGN_IN_CALLBACK.path],
        logoutUrls: [`${origin}/`],
      },
      supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
      preventUserExistenceErrors: true,
      idTokenValidity: Duration.minutes(TOKEN_MINUTES),
      accessTokenValidity: Duration.minutes(TOKEN_MINUTES),
      refreshTokenValidity: Duration.minutes(REFRESH_MINUTES),
    });
    // Without a branding the sign-in pages of a client are not served.
    new CfnManagedLoginBranding(this, `Branding${CLIENT}`, {
      userPoolId: userPool.userPoolId,
      clientId: client.userPoolClientId,
      settings: JSON.parse(lookOf('look.json').toString()) as object,
      assets: [
        { category: 'FORM_LOGO', colorMode: 'DYNAMIC', extension: 'SVG', bytes: lookOf('logo.svg').toString('base64') },
      ],
    });
    const { attrClientSecret } = client.node.defaultChild as CfnUserPoolClient;
    const secret = new Secret(this, `ClientSecret${CLIENT}`, {
      description:
        "The portal's client secret at the user pool; CloudFormation puts it here, and nobody needs to see it.",
      secretStringValue: SecretValue.resourceAttribute(attrClientSecret),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Cognito makes this secret. Another client of the pool (CLIENT in lib/portal/identity.ts) has another one.',
    });
    return {
      issuer: `https://cognito-idp.${Aws.REGION}.amazonaws.com/${userPool.userPoolId}`,
      clientId: client.userPoolClientId,
      clientSecretArn: secret.secretArn,
    };
  }
}
