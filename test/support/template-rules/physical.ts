/** The stack of a resource, with its account and region. */
export interface Place {
  readonly stackName: string;
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  /** The domain of AWS addresses in the partition, such as `amazonaws.com`. */
  readonly urlSuffix: string;
}

/** A resource whose `Ref` or attribute is needed. */
export interface Asked {
  readonly id: string;
  readonly type: string;
  readonly place: Place;
  /** The resolved text of a property; undefined if the template has none. */
  property(name: string): string | undefined;
}

type Value = (resource: Asked) => string;

interface Kind {
  readonly Ref?: Value;
  readonly attributes?: Readonly<Record<string, Value>>;
}

const UUID = '0d1e2f3a-0000-4000-8000-000000000000';
/** The suffix of names that CloudFormation makes. */
const SUFFIX = 'AbCdEfGhIjKl';
const MAX_BUCKET_NAME_CHARACTERS = 63;

/** The name in a property, or one in CloudFormation's form: stack and logical id, cut to the service's limit. */
const nameIn =
  (property: string, maxCharacters: number): Value =>
  (resource) =>
    resource.property(property) ??
    `${`${resource.place.stackName}-${resource.id}`.slice(0, maxCharacters - SUFFIX.length - 1)}-${SUFFIX}`;

/** The text of a property that every resource of the type has. */
const given =
  (property: string): Value =>
  (resource) => {
    const value = resource.property(property);
    if (value === undefined) throw new Error(`${resource.id}, a ${resource.type}, has no ${property}.`);
    return value;
  };

const always =
  (value: string): Value =>
  () =>
    value;

/** An ARN whose last part comes from the resource. */
const arn =
  (service: string, last: Value): Value =>
  (resource) => {
    const { partition, region, account } = resource.place;
    return `arn:${partition}:${service}:${region}:${account}:${last(resource)}`;
  };

/** The same for a service without regions. */
const globalArn =
  (service: string, last: Value): Value =>
  (resource) =>
    `arn:${resource.place.partition}:${service}::${service === 's3' ? '' : resource.place.account}:${last(resource)}`;

const API_ID = 'a1b2c3d4e5';
const tableName = nameIn('TableName', 255);
const roleName = nameIn('RoleName', 64);
const functionName = nameIn('FunctionName', 64);
const logGroupName = nameIn('LogGroupName', 512);
const alarmName = nameIn('AlarmName', 255);
const bucketName: Value = (resource) => nameIn('BucketName', MAX_BUCKET_NAME_CHARACTERS)(resource).toLowerCase();
const queueName = nameIn('QueueName', 80);
const apiAddress =
  (id: string): Value =>
  ({ place: { region, urlSuffix } }) =>
    `${id}.execute-api.${region}.${urlSuffix}`;

/** The values of `Ref` and of attributes, by type, in CloudFormation's form and with the maximum length. */
const KINDS: Readonly<Record<string, Kind>> = {
  'AWS::ApiGatewayV2::Api': {
    Ref: always(API_ID),
    attributes: { ApiEndpoint: (resource) => `https://${apiAddress(API_ID)(resource)}` },
  },
  'AWS::ApiGatewayV2::DomainName': {
    Ref: given('DomainName'),
    attributes: { RegionalDomainName: apiAddress('d-abcdefghij') },
  },
  'AWS::ApiGatewayV2::Integration': { Ref: always('a1b2c3d') },
  'AWS::Backup::BackupPlan': { attributes: { BackupPlanId: always(UUID) } },
  'AWS::Backup::BackupVault': { attributes: { BackupVaultName: given('BackupVaultName') } },
  'AWS::CloudFront::Distribution': {
    Ref: always('E1A2B3C4D5E6F7'),
    attributes: { DomainName: always('d111111abcdef8.cloudfront.net') },
  },
  'AWS::CloudFront::Function': {
    attributes: { FunctionARN: globalArn('cloudfront', (resource) => `function/${given('Name')(resource)}`) },
  },
  'AWS::CloudFront::OriginAccessControl': { attributes: { Id: always('E1A2B3C4D5E6F7') } },
  'AWS::CloudFront::ResponseHeadersPolicy': { Ref: always(UUID) },
  'AWS::CloudWatch::Alarm': {
    Ref: alarmName,
    attributes: { Arn: arn('cloudwatch', (resource) => `alarm:${alarmName(resource)}`) },
  },
  'AWS::CloudWatch::Dashboard': { Ref: nameIn('DashboardName', 255) },
  'AWS::CodeDeploy::Application': { Ref: nameIn('ApplicationName', 100) },
  'AWS::CodeDeploy::DeploymentGroup': { Ref: nameIn('DeploymentGroupName', 100) },
  'AWS::Cognito::UserPool': { Ref: ({ place }) => `${place.region}_AbCdEfGhI` },
  'AWS::Cognito::UserPoolClient': {
    Ref: always('1example23456789abcdefghij'),
    attributes: { ClientSecret: always('a'.repeat(52)) },
  },
  'AWS::DynamoDB::GlobalTable': {
    Ref: tableName,
    attributes: {
      Arn: arn('dynamodb', (resource) => `table/${tableName(resource)}`),
      StreamArn: arn('dynamodb', (resource) => `table/${tableName(resource)}/stream/2026-11-23T20:00:00.000`),
    },
  },
  'AWS::Events::Rule': { attributes: { Arn: arn('events', (resource) => `rule/${nameIn('Name', 64)(resource)}`) } },
  'AWS::IAM::Role': {
    Ref: roleName,
    attributes: { Arn: globalArn('iam', (resource) => `role/${roleName(resource)}`) },
  },
  'AWS::Lambda::Alias': {
    Ref: arn('lambda', (resource) => `function:${given('FunctionName')(resource)}:${given('Name')(resource)}`),
  },
  'AWS::Lambda::EventSourceMapping': { Ref: always(UUID) },
  'AWS::Lambda::Function': { Ref: functionName },
  'AWS::Lambda::Version': { attributes: { Version: always('1234') } },
  'AWS::Logs::LogGroup': {
    Ref: logGroupName,
    attributes: { Arn: arn('logs', (resource) => `log-group:${logGroupName(resource)}:*`) },
  },
  'AWS::S3::Bucket': {
    Ref: bucketName,
    attributes: {
      Arn: globalArn('s3', bucketName),
      RegionalDomainName: (resource) =>
        `${bucketName(resource)}.s3.${resource.place.region}.${resource.place.urlSuffix}`,
    },
  },
  'AWS::SQS::Queue': {
    Ref: ({ place, ...resource }) =>
      `https://sqs.${place.region}.${place.urlSuffix}/${place.account}/${queueName({ place, ...resource })}`,
    attributes: { Arn: arn('sqs', queueName), QueueName: queueName },
  },
  'AWS::SNS::Topic': { Ref: arn('sns', nameIn('TopicName', 256)) },
  'AWS::SecretsManager::Secret': {
    Ref: arn(
      'secretsmanager',
      (resource) => `secret:${resource.property('Name') ?? `${resource.id}-${SUFFIX}`}-AbCdEf`,
    ),
  },
  'AWS::Synthetics::Canary': { Ref: given('Name') },
  'AWS::WAFv2::WebACL': {
    attributes: { Arn: arn('wafv2', (resource) => `global/webacl/${nameIn('Name', 128)(resource)}/${UUID}`) },
  },
};

/**
 * The value of a `Ref` to a resource, or of one of its attributes. Throws for unknown ones: a text with another form or
 * length would give a wrong result.
 */
export function physicalValue(resource: Asked, attribute?: string): string {
  const kind = KINDS[resource.type];
  const value = attribute === undefined ? kind?.Ref : kind?.attributes?.[attribute];
  if (value) return value(resource);
  const what = attribute === undefined ? 'Ref' : `attribute ${attribute}`;
  throw new Error(`Add to KINDS in test/support/template-rules/physical.ts what the ${what} of ${resource.type} is.`);
}

/** The known attributes, as type and name. */
export const knownAttributes = (): [type: string, attribute: string][] =>
  Object.entries(KINDS).flatMap(([type, { attributes = {} }]) =>
    Object.keys(attributes).map((attribute): [string, string] => [type, attribute]),
  );
