import type { StageSettings } from '../settings.ts';

/** The settings of an edge. */
export type Edge = NonNullable<ReturnType<typeof edgeOf>>;

/** The edge of a stage; undefined: it has none. `edgeTruststoreVersion` may be undefined with an edge, too. */
export function edgeOf({ domainName, region, edgeTruststoreVersion, ...settings }: StageSettings) {
  const { edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore } = settings;
  return domainName === undefined ||
    region === undefined ||
    edgeCertificateArn === undefined ||
    edgeOriginDomainName === undefined ||
    edgeClientCertificateArn === undefined ||
    edgeTruststore === undefined
    ? undefined
    : {
        ...{ domainName, region, edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn },
        ...{ edgeTruststore, edgeTruststoreVersion },
      };
}
