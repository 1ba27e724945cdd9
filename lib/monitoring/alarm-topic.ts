import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** Where alarms go: to an address, and to whoever else subscribes. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, email: string | undefined) {
    // Its messages are the alarms' own texts, nothing secret: without a key of its own.
    super(scope, id, { displayName: 'Sandbox gateway alarms', enforceSSL: true });
    // With a policy of its own a topic loses the default one, under which alarms of the account may publish.
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
