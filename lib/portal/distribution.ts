import { Annotations, Aws, Duration, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AccessLevel,
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginRequestPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  ResponseHeadersPolicy,
  HeadersReferrerPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';
import { PORTAL_PREFIXES } from '../../functions/shared/names.ts';
import { ASSETS, PACKAGE_FILES, PACKAGES, PAGE, PLAIN_FILES, TYPES } from './app-files.ts';
import type { PortalSite } from './site.ts';
import { API_HEADERS, pageHeaders } from './page-headers.ts';

/** The statuses that CloudFront caches for ten seconds by default, whatever the origin's headers say. */
const KEPT_ERRORS = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

export interface PortalDistributionProps {
  readonly stage: string;
  readonly site: PortalSite;
  /** Host of the portal's HTTP API. */
  readonly apiHost: string;
  /** Origin of the gateway, to which the page sends test requests. */
  readonly gatewayOrigin: string;
  /** The domain of the portal, with its certificate in us-east-1; undefined: CloudFront's own. */
  readonly domain: { readonly domainName: string; readonly certificateArn: string } | undefined;
  /** A web ACL of AWS WAF for CloudFront, in us-east-1. */
  readonly webAclArn: string | undefined;
}

/** The portal's one origin: the app's files from S3, and its API. */
export class PortalDistribution extends Construct {
  readonly distributionId: string;
  /** The host from CloudFront: the target for the DNS record of the team's domain. */
  readonly host: string;
  /** The origin for browsers. */
  readonly origin: string;

  constructor(scope: Construct, id: string, props: PortalDistributionProps) {
    super(scope, id);
    const { stage, site, apiHost, gatewayOrigin, domain, webAclArn } = props;
    // CloudFront's names must differ within the account, across regions.
    const prefix = `sandbox-gateway-${stage}-${Aws.REGION}`;
    // With the permission to list, a missing file is a 404; without it S3 answers 403. No request can list.
    const files = S3BucketOrigin.withOriginAccessControl(site.files, {
      originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
      originAccessControl: new S3OriginAccessControl(this, 'FilesAccess', {
        originAccessControlName: `${prefix}-portal`,
      }),
    });
    // Its id is in the name of a deployed resource, so it stays.
    const edge = new EdgeFunction(this, 'PageRequest', {
      comment: `The portal's page for every path, types of files (${stage})`,
      code: FunctionCode.fromInline(AT_EDGE),
      runtime: FunctionRuntime.JS_2_0,
    });
    const fromFiles = {
      origin: files,
      responseHeadersPolicy: headersPolicy(this, 'PageHeaders', {
        name: `${prefix}-page`,
        comment: "The portal's pages and files",
        headers: pageHeaders(gatewayOrigin),
      }),
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
    };
    /** The files under addresses that never change, and the page. */
    const unhashed = (eventType: FunctionEventType) => ({
      ...fromFiles,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      functionAssociations: [{ function: edge, eventType }],
    });
    const toFunction = {
      origin: new HttpOrigin(apiHost),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // It passes all headers on, `Authorization` with a management token too.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // The function sets none for embedding or transport.
      responseHeadersPolicy: headersPolicy(this, 'ApiHeaders', {
        name: `${prefix}-api`,
        comment: "The portal's API",
        headers: API_HEADERS,
      }),
    };
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Sandbox developer portal, ${stage}`,
      defaultRootObject: 'index.html',
      defaultBehavior: unhashed(FunctionEventType.VIEWER_REQUEST),
      additionalBehaviors: {
        ...Object.fromEntries(PLAIN_FILES.map((pattern) => [pattern, unhashed(FunctionEventType.VIEWER_RESPONSE)])),
        [`${ASSETS}*`]: { ...fromFiles, cachePolicy: CachePolicy.CACHING_OPTIMIZED },
        // Byte for byte: its sum is compared.
        [PACKAGE_FILES]: {
          ...unhashed(FunctionEventType.VIEWER_RESPONSE),
          cachePolicy: CachePolicy.CACHING_OPTIMIZED,
          compress: false,
        },
        ...Object.fromEntries(Object.values(PORTAL_PREFIXES).map((prefix) => [`${prefix}*`, toFunction])),
      },
      // CloudFront must not cache errors: one person's error must not be shown to another.
      errorResponses: KEPT_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      ...(domain && {
        domainNames: [domain.domainName],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(webAclArn !== undefined && { webAclId: webAclArn }),
      enableLogging: true,
      logBucket: site.logs,
      logIncludesCookies: false,
    });
    this.distributionId = distribution.distributionId;
    this.host = distribution.distributionDomainName;
    this.origin = `https://${domain?.domainName ?? this.host}`;
    acknowledge(distribution, props);
  }
}

function acknowledge(distribution: Distribution, { webAclArn, domain }: PortalDistributionProps): void {
  // Only a request with an empty path would list the bucket. No such request reaches S3: CloudFront answers it with the
  // page.
  Annotations.of(distribution).acknowledgeWarning('@aws-cdk/aws-cloudfront-origins:listBucketSecurityRisk');
  const accepted: Record<string, string | undefined> = {
    CFR1: 'Developers sign in from anywhere; who may is the business of the identity provider.',
    CFR2:
      webAclArn === undefined
        ? 'A web ACL costs more than a small portal; a team sets portalWebAclArn when it has one.'
        : undefined,
    CFR4:
      domain === undefined
        ? "CloudFront's own domain takes TLS 1.0, too, which cannot be set: it is for dev; a domain of one's own takes 1.2."
        : undefined,
  };
  for (const [rule, reason] of Object.entries(accepted)) {
    if (reason !== undefined) Validations.of(distribution).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
}

/**
 * The CloudFront Function. A path that is neither a file nor the API is the address of a view of the app: before the
 * cache it becomes the page's. What is no package and below their folder is nothing: older versions have put packages
 * there under addresses without a sum. (Error pages would also replace the API's own 403 and 404.) The answer with a file for
 * programs gets its type: the CDK's function, which puts them all at once, would guess it.
 */
const AT_EDGE = `var types = ${JSON.stringify(TYPES)};
function handler(event) {
  var request = event.request;
  var response = event.response;
  if (!response) {
    if (request.uri.startsWith('${PACKAGES}')) return { statusCode: 404, statusDescription: 'Not Found' };
    request.uri = '${PAGE}';
    return request;
  }
  var type = types[request.uri] || types[request.uri.slice(request.uri.lastIndexOf('.'))];
  if (type) response.headers['content-type'] = { value: type };
  return response;
}
`;

const MAX_AGE = /max-age=(\d+)/;

/** Headers as CloudFront adds them; some have their own properties there. */
function headersPolicy(
  scope: Construct,
  id: string,
  { name, comment, headers }: { name: string; comment: string; headers: Readonly<Record<string, string>> },
): ResponseHeadersPolicy {
  const {
    'Content-Security-Policy': contentSecurityPolicy = '',
    'Referrer-Policy': _noReferrer,
    'Strict-Transport-Security': transport = '',
    'X-Content-Type-Options': _nosniff,
    ...others
  } = headers;
  return new ResponseHeadersPolicy(scope, id, {
    responseHeadersPolicyName: name,
    comment,
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
