import { SESv2Client, SESv2ServiceException, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Mailer } from './mailer.ts';

/** The longest time for one attempt. The queue tries again. */
const ATTEMPT_MS = 5_000;
const MAX_ATTEMPTS = 2;
/** SES refuses this mail, and would refuse it again (AWS, "SendEmail", errors). */
const REFUSALS: ReadonlySet<string> = new Set(['MessageRejected', 'BadRequestException']);

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
        await client.send(command);
        return 'taken';
      } catch (error) {
        if (error instanceof SESv2ServiceException && REFUSALS.has(error.name)) return 'refused';
        throw error;
      }
    },
  };
}
