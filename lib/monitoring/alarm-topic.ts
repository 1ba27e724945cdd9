import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** The topic of alarms: it sends mail to an address, and to other subscribers. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, email: string | undefined) {
    // Its messages are the alarms' own texts, without secrets, so it needs no key of its own.
    super(scope, id, { displayName: 'Sandbox gateway alarms', enforceSSL: true });
    // A topic with its own policy has no default one, which lets alarms of the account publish.
    this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email !== undefined) this.addSubscription(new EmailSubscription(email));
  }
}
