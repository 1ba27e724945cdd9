import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { AWS_CLIENT } from '../admin/aws.ts';

/** What the command line of a deployment says of who deploys, and on which way. */
export interface DeployerOptions {
  /** Of `--profile`, in place of the environment's. */
  readonly profile: string | undefined;
  /** Of `--proxy`, in place of the environment's. */
  readonly proxy: string | undefined;
  /** Undefined: the profile's. */
  readonly region: string | undefined;
}

/** The settings of a client of AWS in the name of who deploys. */
export type Deployer = ReturnType<typeof deployerOf>;

/**
 * Who deploys, found as the CDK finds it, so that it is one person who looks, deploys and publishes: the profile that is
 * asked for, else keys in the environment, else its profile. Calls go through the proxy that the CDK takes, if it is one
 * of HTTP.
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

/** Node takes the small spelling of a name first. */
const inPlace = (proxy: string) => ({ http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy });
