import type { StageSettings } from '../settings.ts';

/** The settings of an edge. */
export type Edge = NonNullable<ReturnType<typeof edgeOf>>;

/** The edge of a stage: undefined where it has none. */
export function edgeOf({ domainName, ...settings }: StageSettings) {
  const { edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore } = settings;
  return domainName === undefined ||
    edgeCertificateArn === undefined ||
    edgeOriginDomainName === undefined ||
    edgeClientCertificateArn === undefined ||
    edgeTruststore === undefined
    ? undefined
    : { domainName, edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore };
}
