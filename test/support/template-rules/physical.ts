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

const UUID = '0d1e2f3a-0000-4000-8000-000000000000';
/** The suffix of names that CloudFormation makes. */
const SUFFIX = 'AbCdEfGhIjKl';
const API = 'a1b2c3d4e5';
const BUCKET = 'AWS::S3::Bucket';
const SECRET = 'AWS::SecretsManager::Secret';
const AT_API = 'execute-api.{region}.{urlSuffix}';
const arn = (service: string): string => `arn:{partition}:${service}:{region}:{account}`;
/** For a service without regions. */
const globalArn = (service: string): string => `arn:{partition}:${service}::{account}`;

/**
 * The values of `Ref` and of attributes, by type, in CloudFormation's form and with the maximum length. They name what
 * is known of the place, properties that every resource of the type has, and names: `{RoleName:64}` is that property
 * or a name that CloudFormation makes, of at most 64 characters.
 */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'AWS::ApiGatewayV2::Api': { Ref: API, ApiEndpoint: `https://${API}.${AT_API}` },
  'AWS::ApiGatewayV2::DomainName': { Ref: '{DomainName}', RegionalDomainName: `d-abcdefghij.${AT_API}` },
  'AWS::ApiGatewayV2::Integration': { Ref: 'a1b2c3d' },
  'AWS::Backup::BackupPlan': { BackupPlanId: UUID },
  'AWS::Backup::BackupVault': { BackupVaultName: '{BackupVaultName}' },
  'AWS::CloudFront::Distribution': { Ref: 'E1A2B3C4D5E6F7', DomainName: 'd111111abcdef8.cloudfront.net' },
  'AWS::CloudFront::Function': { FunctionARN: `${globalArn('cloudfront')}:function/{Name}` },
  'AWS::CloudFront::OriginAccessControl': { Id: 'E1A2B3C4D5E6F7' },
  'AWS::CloudFront::ResponseHeadersPolicy': { Ref: UUID },
  'AWS::CloudWatch::Alarm': { Ref: '{AlarmName:255}', Arn: `${arn('cloudwatch')}:alarm:{AlarmName:255}` },
  'AWS::CloudWatch::Dashboard': { Ref: '{DashboardName:255}' },
  'AWS::CodeDeploy::Application': { Ref: '{ApplicationName:100}' },
  'AWS::CodeDeploy::DeploymentGroup': { Ref: '{DeploymentGroupName:100}' },
  'AWS::Cognito::UserPool': { Ref: '{region}_AbCdEfGhI' },
  'AWS::Cognito::UserPoolClient': { Ref: '1example23456789abcdefghij', ClientSecret: 'a'.repeat(52) },
  'AWS::DynamoDB::GlobalTable': {
    Ref: '{TableName:255}',
    Arn: `${arn('dynamodb')}:table/{TableName:255}`,
    StreamArn: `${arn('dynamodb')}:table/{TableName:255}/stream/2026-11-23T20:00:00.000`,
  },
  'AWS::Events::Rule': { Arn: `${arn('events')}:rule/{Name:64}` },
  'AWS::IAM::Role': { Ref: '{RoleName:64}', Arn: `${globalArn('iam')}:role/{RoleName:64}` },
  'AWS::Lambda::Alias': { Ref: `${arn('lambda')}:function:{FunctionName}:{Name}` },
  'AWS::Lambda::EventSourceMapping': { Ref: UUID },
  'AWS::Lambda::Function': { Ref: '{FunctionName:64}' },
  'AWS::Lambda::Version': { Version: '1234' },
  'AWS::Logs::LogGroup': { Ref: '{LogGroupName:512}', Arn: `${arn('logs')}:log-group:{LogGroupName:512}:*` },
  [BUCKET]: {
    Ref: '{BucketName:63}',
    Arn: 'arn:{partition}:s3:::{BucketName:63}',
    RegionalDomainName: '{BucketName:63}.s3.{region}.{urlSuffix}',
  },
  'AWS::SQS::Queue': {
    Ref: 'https://sqs.{region}.{urlSuffix}/{account}/{QueueName:80}',
    Arn: `${arn('sqs')}:{QueueName:80}`,
    QueueName: '{QueueName:80}',
  },
  'AWS::SNS::Topic': { Ref: `${arn('sns')}:{TopicName:256}` },
  [SECRET]: { Ref: `${arn('secretsmanager')}:secret:{Name:512}-AbCdEf` },
  'AWS::Synthetics::Canary': { Ref: '{Name}' },
  'AWS::WAFv2::WebACL': { Arn: `${arn('wafv2')}:global/webacl/{Name:128}/${UUID}` },
};

/**
 * The value of a `Ref` to a resource, or of one of its attributes. Throws for unknown ones: a text with another form or
 * length would give a wrong result.
 */
export function physicalValue(resource: Asked, attribute = 'Ref'): string {
  const { id, type, place } = resource;
  const form = KINDS[type]?.[attribute];
  if (form === undefined) {
    const what = attribute === 'Ref' ? attribute : `attribute ${attribute}`;
    throw new Error(`Add to KINDS in test/support/template-rules/physical.ts what the ${what} of ${type} is.`);
  }
  const made = type === SECRET ? id : `${place.stackName}-${id}`;
  const value = form.replaceAll(/\{(\w+)(?::(\d+))?\}/g, (_all, name: string, max?: string) => {
    const known = (place as unknown as Readonly<Record<string, string>>)[name] ?? resource.property(name);
    if (known !== undefined) return known;
    if (max === undefined) throw new Error(`${id}, a ${type}, has no ${name}.`);
    return `${made.slice(0, Number(max) - SUFFIX.length - 1)}-${SUFFIX}`;
  });
  return type === BUCKET ? value.toLowerCase() : value;
}

/** The known attributes, as type and name. */
export const knownAttributes = (): [type: string, attribute: string][] =>
  Object.entries(KINDS).flatMap(([type, values]) =>
    Object.keys(values).flatMap((name): [string, string][] => (name === 'Ref' ? [] : [[type, name]])),
  );
