import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';

/** When the mail goes out: of what was spent, and of what the month will come to. */
const NOTIFIED_AT = [
  { notificationType: 'ACTUAL', threshold: 50 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/** Mails when the account, whatever is in it, costs more in a month than was meant. AWS looks about three times a day. */
export function monthlyBudget(scope: Construct, id: string, usd: number, email: string): void {
  new CfnBudget(scope, id, {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: NOTIFIED_AT.map((notified) => ({
      notification: { ...notified, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  });
}
