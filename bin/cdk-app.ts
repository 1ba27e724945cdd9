/** The CDK app: stage settings and built pages → stacks, checked against the AwsSolutions rules of cdk-nag. */
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SettingsError } from '../functions/shared/settings/named-value.ts';
import { gatewayApp } from '../lib/gateway-app.ts';
import { buildApp } from '../portal/build/app-build.ts';

try {
  const { app } = gatewayApp({ pagesDirectory: await buildApp() });
  // The acknowledgements and their reasons are in the template, for auditors too.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { writeSuppressionsToCloudFormation: true }));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
