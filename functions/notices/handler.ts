import type { Context } from 'aws-lambda';
import {
  isOnThisMachine,
  keyTagSecrets,
  knowKeys,
  quotaPeriod,
  stageName,
  tableNames,
  system,
} from '../shared/system.ts';
import { createClient, documentClient, warmUp } from '../shared/store/client.ts';
import type { Failures } from './dependencies.ts';
import { noticesHandler, type NoticesEvent } from './dispatch.ts';
import { leftOutKeeper } from './stream/left-out.ts';
import { sesMailer } from './mail/ses.ts';
import { NOTICES_ACTOR } from './notice.ts';
import { noticesTelemetry, settings } from './runtime.ts';
import { sqsClient, sqsQueue } from './sqs-queue.ts';
import { deliverer } from './webhooks/post.ts';

knowKeys();
const client = documentClient(createClient());
const tables = tableNames();
const secrets = keyTagSecrets();
const mailFrom = settings.mailFrom();
const sqs = sqsClient();

const handle = noticesHandler({
  store: {
    client,
    tables,
    ...system,
    actor: () => Promise.resolve(NOTICES_ACTOR),
    keyTagSecrets: () => Promise.resolve(secrets),
    quotaPeriod,
  },
  quotaPeriod: quotaPeriod(),
  queues: {
    mail: sqsQueue(sqs, settings.mailQueueUrl()),
    webhooks: sqsQueue(sqs, settings.webhookQueueUrl()),
    daily: sqsQueue(sqs, settings.dailyQueueUrl()),
  },
  mailer: mailFrom === undefined ? undefined : sesMailer(mailFrom, settings.sesConfigurationSet()),
  deliver: deliverer({ isLocal: isOnThisMachine() }),
  keepLeftOut: leftOutKeeper(settings.failuresBucket()),
  portalOrigin: settings.portalOrigin(),
  stage: stageName(),
  telemetry: noticesTelemetry(),
});

/** Lambda entry point: makes, mails and delivers notices. */
export const handler = (event: NoticesEvent, context: Context): Promise<Failures> =>
  handle(event, () => context.getRemainingTimeInMillis());

await warmUp(client, tables.gateway);
