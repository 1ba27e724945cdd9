import { Aws, Duration } from 'aws-cdk-lib';
import { HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { API_HEADERS, pageHeaders } from './page-headers.ts';

const MAX_AGE = /max-age=(\d+)/;

/** The headers of the app's files as CloudFront adds them. */
export const pageHeadersPolicy = (
  scope: Construct,
  id: string,
  stage: string,
  gatewayOrigin: string,
): ResponseHeadersPolicy =>
  headersPolicy(scope, id, {
    ...named(stage, 'page', "The portal's pages and files"),
    headers: pageHeaders(gatewayOrigin),
  });

/** Headers that are missing in the API's answers: the function sets none for embedding or transport. */
export const apiHeadersPolicy = (scope: Construct, id: string, stage: string): ResponseHeadersPolicy =>
  headersPolicy(scope, id, { ...named(stage, 'api', "The portal's API"), headers: API_HEADERS });

interface Policy {
  readonly responseHeadersPolicyName: string;
  readonly comment: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers as CloudFront adds them; some have their own properties there. */
function headersPolicy(scope: Construct, id: string, { headers, ...names }: Policy): ResponseHeadersPolicy {
  const {
    'Content-Security-Policy': contentSecurityPolicy = '',
    'Referrer-Policy': _noReferrer,
    'Strict-Transport-Security': transport = '',
    'X-Content-Type-Options': _nosniff,
    ...others
  } = headers;
  return new ResponseHeadersPolicy(scope, id, {
    ...names,
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: {
        accessControlMaxAge: Duration.seconds(Number(MAX_AGE.exec(transport)?.[1])),
        includeSubdomains: false,
        override: true,
      },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
    },
  });
}

/** CloudFront's names must differ within the account, across regions. */
const named = (stage: string, name: string, comment: string) => ({
  responseHeadersPolicyName: `sandbox-gateway-${stage}-${Aws.REGION}-${name}`,
  comment,
});
