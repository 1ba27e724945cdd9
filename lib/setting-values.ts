import * as v from 'valibot';
import { wholeNumber } from '../functions/shared/settings/named-value.ts';
import { CLIENT_PACKAGES_EXAMPLE, clientPackagesIn } from '../functions/shared/settings/client-packages.ts';
import { isKeyPrefixes } from '../functions/shared/settings/key-prefixes.ts';
import { isSupportUrl, SUPPORT_URL_EXAMPLE } from '../functions/shared/settings/support-url.ts';

/*
 * Schemas of settings. Values from the command line are text, those from files may be numbers. An empty text removes an
 * optional setting.
 */

const Text = v.pipe(v.union([v.string(), v.number()], 'must be text or a number.'), v.transform(String));

/** The message about a refused value. It may quote the value: settings are no secrets. */
const mustBe = (what: string) => (issue: v.BaseIssue<unknown>) => `must be ${what}, not ${issue.received}.`;

/** Undefined if nothing is set; in a file null means the same. */
export const optional = <S extends v.GenericSchema>(schema: S) =>
  v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );

/** One of a list. */
export const oneOf = <const T extends string | number>(allowed: readonly T[]) =>
  v.pipe(
    Text,
    v.picklist(allowed.map(String), mustBe(`one of ${allowed.join(', ')}`)),
    v.transform((text) => allowed.find((candidate) => String(candidate) === text) ?? (text as T)),
  );

/** Yes or no. */
export const flag = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'], mustBe('true or false'))], mustBe('true or false')),
  v.transform((value) => String(value) === 'true'),
);

/** A whole number within bounds. */
export const integer = (least: number, most: number) =>
  v.pipe(Text, wholeNumber(least, most, mustBe(`a whole number from ${least} to ${most}`)), v.transform(Number));

/** A value of another schema, or `none`. */
export const orNone = <S extends v.GenericSchema>(schema: S) =>
  v.lazy((value) => (value === 'none' ? v.literal('none') : schema));

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A browser origin as browsers send it (RFC 6454, section 6.1): it is compared byte for byte. */
export const origin = optional(
  v.pipe(
    Text,
    v.check((text) => !/[*,\s]|%2a/i.test(text), 'must be one origin: no list, no wildcard.'),
    v.check(
      (text) => /^https?:\/\/./.test(text) && URL.canParse(text),
      mustBe('an origin such as https://portal.example.com'),
    ),
    v.check(
      (text) => new URL(text).origin === text,
      ({ input }) =>
        `must be written as browsers send it, ${new URL(input).origin} ` +
        '(no path, no trailing slash, no default port, lower case).',
    ),
    v.check(
      (text) => text.startsWith('https:') || LOCAL_HOSTS.has(new URL(text).hostname),
      'must use https: plain http is for localhost only.',
    ),
  ),
);

/** Text of a shape, or undefined. */
const shaped = (isValid: (text: string) => boolean, example: string) =>
  optional(v.pipe(Text, v.check(isValid, mustBe(`like ${example}`))));

const Email = v.pipe(v.string(), v.email());
/** An e-mail address. */
export const email = shaped((text) => v.is(Email, text), 'team@example.com');
/** A host name of at least two labels. */
export const domain = shaped(
  (text) => /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(text),
  'api.example.com',
);
/** The id of an AWS account. */
export const accountId = shaped((text) => /^\d{12}$/.test(text), '123456789012');
/** The name of an AWS region. */
export const region = shaped((text) => /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(text), 'eu-central-1');
/** The name of a DynamoDB table. */
export const tableName = shaped((text) => /^[a-zA-Z0-9_.-]{3,255}$/.test(text), 'Usage-restored');
/** The ARN of a stream of a DynamoDB table. */
export const streamArn = shaped(
  (text) =>
    /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[a-zA-Z0-9_.-]{3,255}\/stream\/[\dT:.-]{1,40}$/.test(text),
  'arn:aws:dynamodb:eu-central-1:123456789012:table/Gateway-restored/stream/2026-11-23T20:00:00.000',
);
/** The address for people who need help: a page, or an address for mail. */
export const supportUrl = shaped(isSupportUrl, SUPPORT_URL_EXAMPLE);
/** The client libraries in registries. */
export const clientPackages = shaped((text) => clientPackagesIn(text) !== undefined, CLIENT_PACKAGES_EXAMPLE);
/** The prefix of keys. */
export const keyPrefix = v.pipe(
  Text,
  v.check((text) => isKeyPrefixes(text) && !text.includes(','), mustBe('2 to 12 letters a to z')),
);
/** Several of them. */
export const keyPrefixes = shaped(isKeyPrefixes, 'acme,beta');
/** The id of a version of a secret in AWS Secrets Manager. */
export const secretVersion = shaped(
  (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  '5a1d7c3e-0000-4000-8000-000000000000',
);
/** The ARN of a certificate in AWS Certificate Manager. */
export const certificateArn = shaped(
  (text) => /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/.test(text),
  'arn:aws:acm:eu-central-1:123456789012:certificate/…',
);

/** The ARN of a vault of AWS Backup. */
export const backupVaultArn = shaped(
  (text) => /^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[a-zA-Z0-9_-]{2,50}$/.test(text),
  'arn:aws:backup:eu-west-1:210987654321:backup-vault:copies',
);
/** An object in S3 with certificates in PEM. */
export const truststore = shaped(
  (text) => /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/\S{1,900}$/.test(text),
  's3://bucket/truststore.pem',
);
/**
 * The ARN of a certificate for CloudFront, which must be in one region (CloudFront, "Requirements for using SSL/TLS
 * certificates").
 */
export const cloudFrontCertificateArn = shaped(
  (text) => /^arn:aws:acm:us-east-1:\d{12}:certificate\/[0-9a-f-]+$/.test(text),
  'arn:aws:acm:us-east-1:123456789012:certificate/…',
);
/** The ARN of a web ACL of AWS WAF for CloudFront. */
export const cloudFrontWebAclArn = shaped(
  (text) => /^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/[\w-]+\/[0-9a-f-]+$/.test(text),
  'arn:aws:wafv2:us-east-1:123456789012:global/webacl/…',
);
/** The whole ARN of a secret, with the six characters that Secrets Manager adds to its name. */
export const secretArn = shaped(
  (text) => /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/.test(text),
  'arn:aws:secretsmanager:eu-central-1:123456789012:secret:portal-AbCdEf',
);
/** The address of an OpenID provider, character for character as the provider states it (OpenID Connect). */
export const issuer = shaped(
  (text) => /^https:\/\/[^?#\s]+$/.test(text) && URL.canParse(text),
  'https://login.example.com',
);
/** A client id: visible ASCII. */
export const clientId = shaped((text) => /^[\x21-\x7e]{1,255}$/.test(text), 'portal');

/** The runbook in this repository: a mail cannot link to it. */
export const OWN_RUNBOOK = 'docs/runbook.md';
/** An alarm's description must stay within CloudWatch's 1,024 characters. */
const MAX_RUNBOOK_URL_CHARACTERS = 500;

/** The address of the runbook: https without a fragment, or this project's own page. */
export const runbookUrl = v.pipe(
  Text,
  v.check(
    (text) =>
      text === OWN_RUNBOOK ||
      (text.startsWith('https://') &&
        URL.canParse(text) &&
        !text.includes('#') &&
        text.length <= MAX_RUNBOOK_URL_CHARACTERS),
    mustBe(`an https address of at most ${MAX_RUNBOOK_URL_CHARACTERS} characters and without a fragment`),
  ),
);
