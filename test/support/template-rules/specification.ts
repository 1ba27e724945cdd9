import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

const database = loadAwsServiceSpecSync();

const resourceOf = (type: string) => database.lookup('resource', 'cloudFormationType', 'equals', type).only();
/** Metrics in AWS's documentation that its specification does not have yet. */
const METRICS_BESIDES: ReadonlySet<string> = new Set([
  'AWS/Backup NumberOfBackupJobsCompleted',
  'AWS/CertificateManager DaysToExpiry',
  'AWS/Cognito SignInThrottles',
  'AWS/Cognito SignUpThrottles',
  'AWS/Lambda ClaimedAccountConcurrency',
  'AWS/Lambda DroppedEventCount',
  'AWS/Lambda OnFailureDestinationDeliveredEventCount',
]);

/** Whether a type has an attribute for `Fn::GetAtt`. */
export const hasAttribute = (type: string, attribute: string): boolean => attribute in resourceOf(type).attributes;

/** Whether an AWS metric exists, so that an alarm on it can ever go off. Other namespaces belong to a team. */
export function isMetric(namespace: string, name: string): boolean {
  const known = [...database.lookup('metric', 'namespace', 'equals', namespace)];
  if (known.length === 0 && !namespace.startsWith('AWS/')) return true;
  return known.some((metric) => metric.name === name) || METRICS_BESIDES.has(`${namespace} ${name}`);
}
