import { Construct } from 'constructs';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { HttpApiAddress } from '../http-api.ts';
import { PortalDistribution, type PortalDistributionProps } from './distribution.ts';
import { PortalSite } from './site.ts';

export interface PortalFrontProps extends Pick<
  PortalDistributionProps,
  'stage' | 'gatewayOrigin' | 'domain' | 'webAclArn'
> {
  readonly logRetention: RetentionDays;
}

/**
 * The address of a portal: CloudFront before the bucket of its pages and an API without routes. Nothing of it is made
 * anew with the code, which learns the address from here.
 */
export class PortalFront extends Construct {
  /** As browsers use it. */
  readonly origin: string;
  readonly address: HttpApiAddress;
  readonly site: PortalSite;
  readonly distribution: PortalDistribution;

  constructor(scope: Construct, id: string, { logRetention, ...props }: PortalFrontProps) {
    super(scope, id);
    this.site = new PortalSite(this, 'Site', { logRetention });
    this.address = new HttpApiAddress(this, 'Api', { name: `sandbox-gateway-${props.stage}-portal` });
    this.distribution = new PortalDistribution(this, 'Web', {
      ...props,
      site: this.site,
      apiHost: this.address.host,
    });
    this.origin = this.distribution.origin;
  }
}
