import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Mailer } from './mailer.ts';
import { faultOf, MailHeldUpError } from './ses-errors.ts';

/** The longest time for one attempt. The queue tries again. */
const ATTEMPT_MS = 5_000;
const MAX_ATTEMPTS = 2;

/** A mailer of Amazon SES, with the region, credentials and endpoint of the environment. */
export function sesMailer(from: string, configurationSet: string | undefined): Mailer {
  const client = new SESv2Client({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: ATTEMPT_MS, requestTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
  });
  return {
    send: async ({ to, subject, text, html, headers, tags }) => {
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: {
            Subject: { Data: subject },
            Body: { Text: { Data: text, Charset: 'UTF-8' }, Html: { Data: html, Charset: 'UTF-8' } },
            Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
          },
        },
        EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
        ...(configurationSet && { ConfigurationSetName: configurationSet }),
      });
      try {
        const { MessageId } = await client.send(command);
        return { outcome: 'taken', messageId: MessageId ?? null };
      } catch (error) {
        const reason = error instanceof Error ? error.name : 'unknown';
        const fault = faultOf(error);
        if (fault === 'theirs') return { outcome: 'refused', reason };
        throw new MailHeldUpError(fault, reason);
      }
    },
  };
}
