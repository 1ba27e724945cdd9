import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';

/** When mail is sent: for actual and for forecast costs. */
const NOTIFIED_AT = [
  { notificationType: 'ACTUAL', threshold: 50 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/**
 * Sends mail when the account, including everything else in it, costs more in a month than set. AWS checks about three
 * times a day.
 */
export function monthlyBudget(scope: Construct, id: string, usd: number, email: string): void {
  new CfnBudget(scope, id, {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: NOTIFIED_AT.map((notified) => ({
      notification: { ...notified, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  });
}
