import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { AWS_CLIENT } from '../admin/aws.ts';

/** The options of a deployment that concern credentials, proxy and region. */
export interface DeployerOptions {
  /** From `--profile`, instead of the environment's. */
  readonly profile: string | undefined;
  /** From `--proxy`, instead of the environment's. */
  readonly proxy: string | undefined;
  /** Undefined: the profile's. */
  readonly region: string | undefined;
}

/** The settings of an AWS client with the deployer's credentials. */
export type Deployer = ReturnType<typeof deployerOf>;

/**
 * The deployer's credentials, found as the CDK does, so that the checks, the deployment and the upload use the same:
 * the requested profile, then keys in the environment, then its profile. Calls use the CDK's proxy, if it is an HTTP
 * proxy.
 */
export function deployerOf({ profile: asked, proxy, region }: DeployerOptions) {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, AWS_DEFAULT_PROFILE } = process.env;
  const profile = asked ?? (AWS_PROFILE || AWS_DEFAULT_PROFILE);
  const hasKeys = asked === undefined && AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY;
  const proxyEnv = { ...process.env, ...(proxy !== undefined && inPlace(proxy)) };
  // As many connections as the SDK's own agents have.
  const agent = { keepAlive: true, maxSockets: 50, proxyEnv };
  return {
    requestHandler: {
      ...AWS_CLIENT.requestHandler,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    },
    ...(region && { region }),
    ...(profile && { profile }),
    ...(hasKeys && { credentials: fromEnv() }),
  };
}

/** Node reads the lower-case name first. */
const inPlace = (proxy: string) => ({ http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy });
