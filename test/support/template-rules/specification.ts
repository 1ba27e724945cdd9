import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

const database = loadAwsServiceSpecSync();

const resourceOf = (type: string) => database.lookup('resource', 'cloudFormationType', 'equals', type).only();
type Properties = ReturnType<typeof resourceOf>['properties'];
type PropertyType = Properties[string]['type'];

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

/**
 * Problems in a resource's properties according to the CDK's copy of AWS's documentation, one line each: unknown names,
 * deprecated properties and unlisted values.
 */
export const findingsOf = (type: string, properties: object): string[] =>
  ofProperties(resourceOf(type).properties, properties, '/properties');

function ofProperties(known: Properties, given: object, path: string): string[] {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const property = known[name];
    const place = `${path}/${name}`;
    if (!property) return [`${place}: unknown`];
    return [...(property.deprecated ? [`${place}: deprecated`] : []), ...ofValue(property.type, value, place)];
  });
}

function ofValue(type: PropertyType, value: unknown, place: string): string[] {
  switch (type.type) {
    case 'array':
      return (value as unknown[]).flatMap((item, index) => ofValue(type.element, item, `${place}/${index}`));
    case 'map':
      return Object.entries(value as object).flatMap(([key, item]) => ofValue(type.element, item, `${place}/${key}`));
    case 'ref':
      return ofProperties(database.get('typeDefinition', type.reference.$ref).properties, value as object, place);
    case 'string':
    case 'integer': {
      const allowed = type.allowedValues?.map(String);
      return allowed?.includes(String(value)) === false ? [`${place}: none of ${allowed.join(', ')}`] : [];
    }
    default:
      return [];
  }
}

/** Whether a type has an attribute for `Fn::GetAtt`. */
export const hasAttribute = (type: string, attribute: string): boolean => attribute in resourceOf(type).attributes;

/** Whether an AWS metric exists, so that an alarm on it can ever go off. Other namespaces belong to a team. */
export function isMetric(namespace: string, name: string): boolean {
  const known = [...database.lookup('metric', 'namespace', 'equals', namespace)];
  if (known.length === 0 && !namespace.startsWith('AWS/')) return true;
  return known.some((metric) => metric.name === name) || METRICS_BESIDES.has(`${namespace} ${name}`);
}
