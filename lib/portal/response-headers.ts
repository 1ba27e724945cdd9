import { Aws, Duration } from 'aws-cdk-lib';
import { HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import type { Stage } from '../../functions/wiring.ts';
import { API_HEADERS, pageHeaders } from './page-headers.ts';

const MAX_AGE = /max-age=(\d+)/;

/** The headers of the app's files as CloudFront adds them. */
export const pageHeadersPolicy = (
  scope: Construct,
  id: string,
  stage: Stage,
  gatewayOrigin: string,
): ResponseHeadersPolicy =>
  headersPolicy(scope, id, named(stage, 'page', "The portal's pages and files"), pageHeaders(gatewayOrigin));

/** What the API's answers lack: the function says nothing of who may show them, and nothing of transport. */
export const apiHeadersPolicy = (scope: Construct, id: string, stage: Stage): ResponseHeadersPolicy =>
  headersPolicy(scope, id, named(stage, 'api', "The portal's API"), API_HEADERS);

/** Headers as CloudFront adds them, those it has a place of its own for apart. */
function headersPolicy(
  scope: Construct,
  id: string,
  names: ReturnType<typeof named>,
  {
    'Content-Security-Policy': contentSecurityPolicy = '',
    'Referrer-Policy': _noReferrer,
    'Strict-Transport-Security': transport = '',
    'X-Content-Type-Options': _nosniff,
    ...others
  }: Readonly<Record<string, string>>,
): ResponseHeadersPolicy {
  return new ResponseHeadersPolicy(scope, id, {
    ...names,
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: {
        accessControlMaxAge: Duration.seconds(Number(MAX_AGE.exec(transport)?.[1])),
        includeSubdomains: transport.includes('includeSubDomains'),
        override: true,
      },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
    },
  });
}

/** CloudFront's names are the account's: a stage in another region has others. */
const named = (stage: Stage, name: string, comment: string) => ({
  responseHeadersPolicyName: `sandbox-gateway-${stage}-${Aws.REGION}-${name}`,
  comment,
});
