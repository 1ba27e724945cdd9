import { SettingsError } from '../functions/core/named-value.ts';
import type { Stage } from '../functions/wiring.ts';
import { refusePortalContradictions } from './portal/contradictions.ts';
import type { StageValues } from './stages.ts';

/** Throws {@link SettingsError} for settings that are valid separately, but not together. */
export function refuseContradictions(settings: StageValues & { readonly stage: Stage }): void {
  refusePortalContradictions(settings);
  const { stage, portalOrigin, portalDomainName, domainName, certificateArn, ...rest } = settings;
  if ((rest.account === undefined) !== (rest.region === undefined)) {
    throw new SettingsError('account and region must be set together: a stage is in one region of one account.');
  }
  if (stage === 'prod' && portalOrigin === undefined && portalDomainName === undefined) {
    throw new SettingsError(
      'portalDomainName must be set in prod, for a portal that this app deploys, or portalOrigin for another one.',
    );
  }
  if (domainName !== undefined && certificateArn === undefined) {
    throw new SettingsError('certificateArn must be set with domainName: a certificate of ACM in the same region.');
  }
  if (domainName === undefined && certificateArn !== undefined) {
    throw new SettingsError('domainName must be set with certificateArn.');
  }
  if ((rest.restoredGatewayTable === undefined) !== (rest.restoredUsageTable === undefined)) {
    throw new SettingsError('restoredGatewayTable and restoredUsageTable must be set together: they are one ledger.');
  }
  if (rest.restoredGatewayTable !== undefined && rest.restoredGatewayTable === rest.restoredUsageTable) {
    throw new SettingsError('restoredGatewayTable and restoredUsageTable must be two tables.');
  }
  if (rest.probeKeySecretArn !== undefined && rest.probe === 'off') {
    throw new SettingsError('probe must be on with probeKeySecretArn: the key is the probe’s.');
  }
  if (rest.monthlyBudgetUsd !== 'none' && rest.alarmEmail === undefined) {
    throw new SettingsError('alarmEmail must be set with monthlyBudgetUsd: a budget tells someone.');
  }
  refuseHalfAnEdge(settings);
  if (rest.pingBurst < rest.pingRequestsPerSecond / 10) {
    throw new SettingsError('pingBurst must be at least a tenth of pingRequestsPerSecond, or it is the limit.');
  }
}

function refuseHalfAnEdge({ domainName, account, ...settings }: StageValues): void {
  const { edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore } = settings;
  const edge = { edgeCertificateArn, edgeOriginDomainName, edgeClientCertificateArn, edgeTruststore };
  const isSet = Object.values(edge).map((value) => value !== undefined);
  if (edgeTruststore === undefined && settings.edgeTruststoreVersion !== undefined) {
    throw new SettingsError('edgeTruststore must be set with edgeTruststoreVersion: it is a version of that file.');
  }
  if (!isSet.includes(true)) return;
  if (isSet.includes(false)) {
    throw new SettingsError(
      `${Object.keys(edge).join(', ')} must be set together: an API that is open behind its edge can be flooded past it.`,
    );
  }
  if (domainName === undefined || account === undefined) {
    throw new SettingsError('domainName, certificateArn, account and region must be set with an edge.');
  }
  if (edgeOriginDomainName === domainName) {
    throw new SettingsError('edgeOriginDomainName must be another domain than domainName, which is that of the edge.');
  }
}
