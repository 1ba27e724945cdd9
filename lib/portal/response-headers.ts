import { Aws, Duration } from 'aws-cdk-lib';
import { HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import type { Stage } from '../../functions/wiring.ts';
import { API_HEADERS, pageHeaders } from './page-headers.ts';

const MAX_AGE = /max-age=(\d+)/;

/** The headers of the app's files as CloudFront adds them, those it has a place of its own for apart. */
export function pageHeadersPolicy(
  scope: Construct,
  id: string,
  stage: Stage,
  gatewayOrigin: string,
): ResponseHeadersPolicy {
  const {
    'Content-Security-Policy': contentSecurityPolicy = '',
    'Referrer-Policy': referrerPolicy,
    'Strict-Transport-Security': transport = '',
    'X-Content-Type-Options': _nosniff,
    ...others
  } = pageHeaders(gatewayOrigin);
  return new ResponseHeadersPolicy(scope, id, {
    ...named(stage, 'page', "The portal's pages and files"),
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
      referrerPolicy: { referrerPolicy: referrerPolicy as HeadersReferrerPolicy, override: true },
      ...transportAndType(transport),
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
    },
  });
}

/** What the API's answers lack: the function says nothing of transport, and nothing to a browser that guesses types. */
export const apiHeadersPolicy = (scope: Construct, id: string, stage: Stage): ResponseHeadersPolicy =>
  new ResponseHeadersPolicy(scope, id, {
    ...named(stage, 'api', "The portal's API"),
    securityHeadersBehavior: transportAndType(API_HEADERS['Strict-Transport-Security']),
  });

/** CloudFront's names are the account's: a stage in another region has others. */
const named = (stage: Stage, name: string, comment: string) => ({
  responseHeadersPolicyName: `sandbox-gateway-${stage}-${Aws.REGION}-${name}`,
  comment,
});

const transportAndType = (transport: string) => ({
  contentTypeOptions: { override: true },
  strictTransportSecurity: {
    accessControlMaxAge: Duration.seconds(Number(MAX_AGE.exec(transport)?.[1])),
    includeSubdomains: transport.includes('includeSubDomains'),
    override: true,
  },
});
