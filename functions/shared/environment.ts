import type * as v from 'valibot';
import { ENVIRONMENT } from './names.ts';
import { readKeyTagSecrets } from './credentials/api-key.ts';
import { readNamed, nonEmptyText } from './settings/named-value.ts';
import { QuotaPeriodText, type QuotaPeriod } from './period.ts';

/** The only access to the environment: what every function reads of it, when it starts. Each throws `SettingsError`. */

/** Reads a variable by its schema. */
export const read = <S extends v.GenericSchema>(name: string, schema: S): v.InferOutput<S> =>
  readNamed(name, process.env[name], schema);
/** Reads the text of a variable that must be set. */
export const required = (name: string): string => read(name, nonEmptyText);
/** Undefined: it is not set, or empty. */
export const optional = (name: string): string | undefined => process.env[name] || undefined;

/** Undefined: it does not run in Lambda. */
export const lambdaName = () => optional('AWS_LAMBDA_FUNCTION_NAME');
/** Also the value of the dimension `stage` of metrics. */
export const stageName = (): string => optional(ENVIRONMENT.stage) ?? 'local';
/** Whether `npm start` runs the function. Then endpoints on this machine may be called. */
export const isOnThisMachine = (): boolean => optional(ENVIRONMENT.stage) === undefined && lambdaName() === undefined;
export const tableNames = () => ({
  gateway: required(ENVIRONMENT.gatewayTable),
  usage: required(ENVIRONMENT.usageTable),
});
/** Without them no key can be distinguished from a forged one, and the function does not start. */
export const keyTagSecrets = () => readKeyTagSecrets(ENVIRONMENT.keyTagSecrets, required(ENVIRONMENT.keyTagSecrets));
export const quotaPeriod = () => read(ENVIRONMENT.quotaPeriod, QuotaPeriodText) as QuotaPeriod;
