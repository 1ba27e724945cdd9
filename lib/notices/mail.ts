import { Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnConfigurationSet, CfnConfigurationSetEventDestination } from 'aws-cdk-lib/aws-ses';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Stage } from '../stack-names.ts';

/** The display name of the sender, before its address. */
const SENDER = 'Developer portal';

/**
 * How the stage sends mail with SES: a configuration set, whose bounces and complaints go to the function. SES also has
 * its own list of such addresses.
 */
export class Mail extends Construct {
  readonly configurationSet: string;
  /** The sender with its name. */
  readonly from: string;

  constructor(scope: Construct, id: string, stage: Stage, mailFrom: string) {
    super(scope, id);
    this.from = `${SENDER} <${mailFrom}>`;
    this.configurationSet = `sandbox-gateway-${stage}`;
    const set = new CfnConfigurationSet(this, 'Set', {
      name: this.configurationSet,
      // Links of invitations are for the addressee alone. Where no TLS can be had, SES gives the mail up.
      deliveryOptions: { tlsPolicy: 'REQUIRE' },
      reputationOptions: { reputationMetricsEnabled: true },
      suppressionOptions: { suppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    });
    const events = new CfnConfigurationSetEventDestination(this, 'Events', {
      configurationSetName: this.configurationSet,
      eventDestination: {
        enabled: true,
        matchingEventTypes: ['bounce', 'complaint'],
        eventBridgeDestination: { eventBusArn: Stack.of(this).formatArn(DEFAULT_BUS) },
      },
    });
    events.addResourceDependency(set);
  }

  /** Sends SES's events about this stage's mails to the function. */
  serve(live: IFunction): void {
    new Rule(this, 'News', {
      description: 'Bounces and complaints of the mails of this stage',
      eventPattern: {
        source: ['aws.ses'],
        detailType: ['Email Bounced', 'Email Complaint Received'],
        detail: { mail: { tags: { 'ses:configuration-set': [this.configurationSet] } } },
      },
      targets: [new LambdaFunction(live)],
    });
  }

  /** SES tells the account when it may send no more: to the topic of alarms. */
  tellOfPauses(topic: ITopic): void {
    new Rule(this, 'Pauses', {
      description: 'SES has paused or resumed the sending of mail in this account and region',
      eventPattern: { source: ['aws.ses'], detailType: ['Sending Status Disabled', 'Sending Status Enabled'] },
      targets: [new SnsTopic(topic)],
    });
  }
}

/** SES sends events to the default bus only. */
const DEFAULT_BUS = { service: 'events', resource: 'event-bus', resourceName: 'default' };

/** Shows whether SES sends to everybody, and whether the sender is verified, itself or by its domain. */
export const mailCheck = (mailFrom: string): string =>
  'aws sesv2 get-account --query ProductionAccessEnabled; for i in ' +
  `${mailFrom} ${mailFrom.slice(mailFrom.indexOf('@') + 1)}; do ` +
  'aws sesv2 get-email-identity --email-identity $i --query VerifiedForSendingStatus; done';
