import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

const database = loadAwsServiceSpecSync();

const resourceOf = (type: string) => database.lookup('resource', 'cloudFormationType', 'equals', type).only();
type Properties = ReturnType<typeof resourceOf>['properties'];
type PropertyType = Properties[string]['type'];

/** Metrics that AWS's pages name and its specification does not have yet. */
const METRICS_BESIDES: ReadonlySet<string> = new Set([
  'AWS/Backup NumberOfBackupJobsCompleted',
  'AWS/CertificateManager DaysToExpiry',
  'AWS/Cognito SignInThrottles',
  'AWS/Cognito SignUpThrottles',
  'AWS/Lambda ClaimedAccountConcurrency',
]);

/**
 * What the CDK's copy of AWS's documentation knows of a resource's properties, a line each: names that it does not have,
 * what is deprecated, and values that are none of those that it lists.
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

/** Whether a type has an attribute that `Fn::GetAtt` can ask for. */
export const hasAttribute = (type: string, attribute: string): boolean => attribute in resourceOf(type).attributes;

/** Whether there is a metric of AWS's own, so that an alarm on it can ever go off. Other namespaces are a team's own. */
export function isMetric(namespace: string, name: string): boolean {
  const known = [...database.lookup('metric', 'namespace', 'equals', namespace)];
  if (known.length === 0 && !namespace.startsWith('AWS/')) return true;
  return known.some((metric) => metric.name === name) || METRICS_BESIDES.has(`${namespace} ${name}`);
}
